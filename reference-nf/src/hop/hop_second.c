/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hop/hop_config.h"
#include "hop/hop_second.h"

#define ARGUMENTS_MAX 64
#define TEXT_BYTES 4200u
#define END_WAITS 1000u /* of WAIT_NS: ten seconds */
#define WAIT_NS 10000000

static const char lcores[] = "--lcores=";
/* An agent counts and steers the first NF only. */
static const char *const not_inherited[] = {"NALM_PROBE_FILE", "NALM_PROBE_GATE", "NALM_PROBE_EVENTS", "NALM_TRAFFIC_FILE"};

/* Removes the CPUs of a map such as 0@2,1@3 or 0,1. */
static void remove_named(cpu_set_t *cpus, const char *map)
{
	while (*map != '\0') {
		size_t length = strcspn(map, ",");
		const char *at = memchr(map, '@', length);
		unsigned long cpu = strtoul(at == NULL ? map : at + 1, NULL, 10);
		if (cpu < CPU_SETSIZE)
			CPU_CLR((int)cpu, cpus);
		map += length + (map[length] == ',');
	}
}

static int last_of(const cpu_set_t *cpus)
{
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, cpus))
			return cpu;
	return -1;
}

/* The last CPU that this process may use, as the first one takes most interrupts; if possible one that the first NF does
 * not have. */
static int choose_cpu(char *const eal[], int count)
{
	cpu_set_t allowed, free;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return 0;
	free = allowed;
	for (int i = 1; i < count; i++)
		if (strncmp(eal[i], lcores, strlen(lcores)) == 0)
			remove_named(&free, eal[i] + strlen(lcores));
	int cpu = last_of(&free);
	return cpu >= 0 ? cpu : last_of(&allowed);
}

struct arguments {
	char *all[ARGUMENTS_MAX + 1];
	int count;
	char map[32], buffers[64], path[TEXT_BYTES];
};

static void add(struct arguments *a, char *text)
{
	if (a->count < ARGUMENTS_MAX)
		a->all[a->count++] = text;
}

static void make_arguments(struct arguments *a, const struct hop_settings *s, char *const eal[], int count)
{
	*a = (struct arguments){0};
	snprintf(a->map, sizeof(a->map), "%s0@%d", lcores, choose_cpu(eal, count));
	snprintf(a->buffers, sizeof(a->buffers), "hop.buffers=%s", hop_buffers_name(s->buffers));
	snprintf(a->path, sizeof(a->path), "hop.path=%s", s->path);
	add(a, eal[0]);
	add(a, a->map);
	for (int i = 1; i < count; i++)
		if (strncmp(eal[i], lcores, strlen(lcores)) != 0)
			add(a, eal[i]);
	char *const own[] = {"--", "--config", s->next, "--set", "hop.side=nf", "--set", a->buffers, "--set", a->path};
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		add(a, own[i]);
}

/* In the new process. Its totals go to stderr: stdout has those of the first NF. A terminal's interrupt is for the first
 * NF, which ends this one. */
static void become(struct arguments *a, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(EXIT_FAILURE);
	for (size_t i = 0; i < sizeof(not_inherited) / sizeof(not_inherited[0]); i++)
		unsetenv(not_inherited[i]);
	execv("/proc/self/exe", a->all);
	_exit(EXIT_FAILURE);
}

bool hop_second_start(struct hop_second *second, const struct hop_settings *settings, char *const eal[], int count)
{
	static struct arguments arguments;
	pid_t parent = getpid();

	make_arguments(&arguments, settings, eal, count);
	second->pid = arguments.count < ARGUMENTS_MAX ? fork() : -1;
	if (second->pid == 0)
		become(&arguments, parent);
	if (second->pid > 0)
		return true;
	fprintf(stderr, "hop: cannot start the second NF: %s\n", arguments.count < ARGUMENTS_MAX ? strerror(errno) :
												   "too many arguments");
	second->pid = 0;
	return false;
}

/* Waits until it has ended, but not for ever. */
static int wait_for_end(pid_t pid)
{
	int status = 0;

	for (uint32_t i = 0; i < END_WAITS; i++) {
		if (waitpid(pid, &status, WNOHANG) != 0)
			return status;
		nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

bool hop_second_end(struct hop_second *second)
{
	if (second->pid == 0)
		return true;
	kill(second->pid, SIGTERM);
	int status = wait_for_end(second->pid);
	second->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
		return true;
	if (WIFEXITED(status))
		fprintf(stderr, "hop: the second NF failed with exit status %d; its own messages are above\n", WEXITSTATUS(status));
	else
		fprintf(stderr, "hop: the second NF was ended by signal %d\n", WTERMSIG(status));
	return false;
}
