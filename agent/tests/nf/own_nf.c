/* SPDX-License-Identifier: Apache-2.0
 *
 * The tests' NF with figures of its own, like Open vSwitch's PMD threads: no probe, a thread that polls, and a socket
 * that clears and shows. A batch costs time and no CPU, and on the program's clock always WORK microseconds, also
 * where a busy host wakes it late: other programs do not change its figures. `own_nf SOCKET CPU` runs it,
 * `own_nf SOCKET clear|show` sends a request. Its output is that of `dpif-netdev/pmd-perf-show` of Open vSwitch 3.1.0,
 * as far as it applies to this program.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "own_work.h" /* WORK: microseconds for each batch */

enum { BATCH = 32 };

static atomic_ulong batches;
static unsigned long cleared;
static uint64_t first_tsc;
static double first;
static int cpu;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *poll_thread(void *unused)
{
	cpu_set_t set;
	char name[16];
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	snprintf(name, sizeof(name), "pmd-c%02d/id:8", cpu);
	pthread_setname_np(pthread_self(), name);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	for (;; atomic_fetch_add(&batches, 1))
		usleep(WORK);
	return unused;
}

static void show(FILE *to)
{
	unsigned long iterations = batches - cleared, done = iterations * BATCH;
	double seconds = (double)iterations * WORK / 1e6, tsc_hz = (double)(__rdtsc() - first_tsc) / (now() - first);
	fprintf(to, "Measurement duration: %.3f s\n\npmd thread numa_id 0 core_id %d:\n\n", seconds, cpu);
	fprintf(to, "  - Used TSC cycles:  %12.0f  ( 99.9 %% of total cycles)\n", seconds * tsc_hz);
	fprintf(to, "  - busy iterations:  %12lu  (100.0 %% of used cycles)\n", iterations);
	fprintf(to, "  Rx packets:         %12lu  (1 Kpps, 1 cycles/pkt)\n", done);
	fprintf(to, "  - Lost upcalls:                0  (  0.0 %%)\n");
	fprintf(to, "  Tx packets:         %12lu  (1 Kpps)\n", done / 4 * 3);
}

static void answer(int client)
{
	char request = 0;
	FILE *stream = fdopen(client, "w");
	if (read(client, &request, 1) == 1 && request == 'c')
		cleared = batches;
	else
		show(stream);
	fclose(stream);
}

static int ask(int server, const char *what)
{
	char text[4096];
	ssize_t got;
	dprintf(server, "%s\n", what);
	while ((got = read(server, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)got, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t thread;
	char *folder = argv[1], *slash = argc == 3 ? strrchr(argv[1], '/') : NULL;
	if (slash != NULL) { /* a socket's address is short, a test's folder may not be */
		*slash = '\0';
		if (chdir(folder))
			return 1;
		argv[1] = slash + 1;
	}
	if (argc != 3 || strlen(argv[1]) >= sizeof(address.sun_path))
		return 2;
	strcpy(address.sun_path, argv[1]);
	if (argv[2][0] == 'c' || argv[2][0] == 's')
		return connect(s, (struct sockaddr *)&address, sizeof(address)) ? 1 : ask(s, argv[2]);
	cpu = atoi(argv[2]);
	first = now();
	first_tsc = __rdtsc();
	pthread_create(&thread, NULL, poll_thread, NULL);
	if (bind(s, (struct sockaddr *)&address, sizeof(address)) || listen(s, 4))
		return 1;
	for (;;)
		answer(accept(s, NULL, NULL));
}
