/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_common.h>

#include "control_thread.h"
#include "flow_mod/flow_control.h"

#define CLIENTS 8u
#define LINE_BYTES 1024u
#define REPLY_BYTES (OPENFLOW_WHY_BYTES + 16u)

/* While a client has no room for an answer, its lines wait, and nothing is read from it: it holds up only itself. */
struct client {
	char text[LINE_BYTES];
	size_t bytes; /* of lines that are not read yet */
	char unsent[REPLY_BYTES];
	size_t unsent_bytes; /* of the last answer */
};

/* The control thread's, but for what says otherwise. */
static struct {
	const struct openflow_settings *settings;
	const struct rcu_tables *rcu;
	struct rte_rcu_qsbr *readers;
	struct control_thread thread;
	bool runs;				/* main's */
	struct pollfd waits[2 + CLIENTS];	/* the request to end, the socket, clients; -1: none */
	struct client clients[CLIENTS];
	uint64_t messages;
} control;

static const char *const kinds[] = {[OPENFLOW_ADD] = "add", [OPENFLOW_MODIFY] = "modify", [OPENFLOW_DELETE] = "delete"};

static bool read_kind(char **text, struct openflow_mod *mod, char why[OPENFLOW_WHY_BYTES])
{
	size_t length = strcspn(*text, " \t");
	uint32_t kind = 0;

	while (kind < RTE_DIM(kinds) && (strlen(kinds[kind]) != length || strncmp(*text, kinds[kind], length) != 0))
		kind++;
	*text += length + strspn(*text + length, " \t");
	length = strcspn(*text, " \t");
	if (kind == RTE_DIM(kinds) || length != 4 || strncmp(*text, "flow", 4) != 0) {
		snprintf(why, OPENFLOW_WHY_BYTES, "expected `add flow`, `modify flow` or `delete flow`; groups and meters change by "
						  "a reload");
		return false;
	}
	mod->kind = kind;
	return true;
}

/* One entry, read like those of the file: its groups and meters are those of the tables. */
static bool read_flow(const struct openflow_settings *of, char *text, struct openflow_mod *mod, struct openflow_settings *read,
		      char why[OPENFLOW_WHY_BYTES])
{
	const struct openflow_line line = {.settings = read, .match_alone = mod->kind == OPENFLOW_DELETE, .why = why};

	*read = (struct openflow_settings){.groups = of->groups, .group_count = of->group_count, .meters = of->meters,
					   .meter_count = of->meter_count};
	openflow_read_line(&line, text);
	if (read->entry_count == 0)
		return false;
	mod->entry = read->entries[0];
	mod->terms = read->terms;
	mod->instructions = read->instructions[0];
	return true;
}

bool openflow_control_line(struct openflow_tables *tables, char *text, struct rte_rcu_qsbr *readers,
			   char why[OPENFLOW_WHY_BYTES])
{
	struct openflow_settings read;
	struct openflow_mod mod;

	if (!read_kind(&text, &mod, why))
		return false;
	bool good = read_flow(tables->settings, text, &mod, &read, why) && openflow_mod_apply(tables, &mod, readers, why);
	free(read.entries);
	free(read.terms);
	free(read.instructions);
	free(read.index);
	return good;
}

/* Sends what there is room for, and keeps the rest. false: the client is gone. */
static bool answer(int client, struct client *c, const char *text, size_t bytes)
{
	ssize_t sent = send(client, text, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		return false;
	size_t done = sent < 0 ? 0 : (size_t)sent;
	c->unsent_bytes = bytes - done;
	memmove(c->unsent, text + done, c->unsent_bytes);
	return true;
}

/* A reload exchanges tables under the same lock. false: the client is gone. */
static bool serve_line(int client, struct client *c, char *text)
{
	char why[OPENFLOW_WHY_BYTES], reply[REPLY_BYTES];

	control.messages++;
	pthread_mutex_lock(&rcu_tables_lock);
	struct openflow_tables *tables = rcu_tables_get(control.rcu);
	bool good = tables->book != NULL && openflow_control_line(tables, text, control.readers, why);
	if (tables->book == NULL)
		snprintf(why, sizeof(why), "the reload before took [openflow] control away");
	pthread_mutex_unlock(&rcu_tables_lock);
	if (good)
		return answer(client, c, "ok\n", 3);
	fprintf(stderr, "openflow: control: message %" PRIu64 ": %s; nothing changed\n", control.messages, why);
	return answer(client, c, reply, (size_t)snprintf(reply, sizeof(reply), "refused: %s\n", why));
}

static bool serve_lines(int client, struct client *c)
{
	char *line = c->text, *end;

	while (c->unsent_bytes == 0 && (end = memchr(line, '\n', (size_t)(c->text + c->bytes - line))) != NULL) {
		*end = '\0';
		line[strcspn(line, "\r")] = '\0';
		if (!serve_line(client, c, line))
			return false;
		line = end + 1;
	}
	c->bytes = (size_t)(c->text + c->bytes - line);
	memmove(c->text, line, c->bytes);
	if (c->bytes < sizeof(c->text) || c->unsent_bytes != 0)
		return true;
	static const char too_long[] = "refused: a line has less than 1024 characters\n";
	(void)answer(client, c, too_long, sizeof(too_long) - 1);
	return false;
}

/* false: the client is gone. */
static bool read_lines(int client, struct client *c)
{
	ssize_t bytes = recv(client, c->text + c->bytes, sizeof(c->text) - c->bytes, 0);

	if (bytes <= 0)
		return bytes < 0 && errno == EINTR;
	c->bytes += (size_t)bytes;
	return true;
}

static void serve_client(struct pollfd *wait, struct client *c)
{
	bool there = c->unsent_bytes == 0 ? read_lines(wait->fd, c) : answer(wait->fd, c, c->unsent, c->unsent_bytes);

	if (there && serve_lines(wait->fd, c)) {
		wait->events = c->unsent_bytes == 0 ? POLLIN : POLLOUT;
		return;
	}
	close(wait->fd);
	*wait = (struct pollfd){.fd = -1, .events = POLLIN};
	c->bytes = c->unsent_bytes = 0;
}

/* Without room for one more client it waits for another to leave: the listening socket is not looked at. */
static void take_client(void)
{
	for (uint32_t i = 0; i < CLIENTS; i++)
		if (control.waits[2 + i].fd < 0) {
			control.waits[2 + i].fd = accept4(control.waits[1].fd, NULL, NULL, SOCK_CLOEXEC);
			return;
		}
}

static bool is_full(void)
{
	for (uint32_t i = 0; i < CLIENTS; i++)
		if (control.waits[2 + i].fd < 0)
			return false;
	return true;
}

static void serve(void)
{
	for (;;) {
		control.waits[1].events = is_full() ? 0 : POLLIN;
		if (poll(control.waits, RTE_DIM(control.waits), -1) < 0) {
			if (errno == EINTR)
				continue;
			return;
		}
		if (control.waits[0].revents != 0)
			return;
		for (uint32_t i = 0; i < CLIENTS; i++)
			if (control.waits[2 + i].fd >= 0 && control.waits[2 + i].revents != 0)
				serve_client(&control.waits[2 + i], &control.clients[i]);
		if ((control.waits[1].revents & POLLIN) != 0)
			take_client();
	}
}

/* A socket that a program left behind is in the way; any other file stays. */
static void remove_left(const char *path)
{
	struct stat file;

	if (lstat(path, &file) == 0 && S_ISSOCK(file.st_mode))
		(void)unlink(path);
}

static bool open_socket(const char *path)
{
	struct sockaddr_un here = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(here.sun_path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(here.sun_path, path, strlen(path));
	remove_left(path);
	int listening = control.waits[1].fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return listening >= 0 && bind(listening, (const struct sockaddr *)&here, sizeof(here)) == 0 &&
	       listen(listening, (int)CLIENTS) == 0;
}

static void close_all(void)
{
	for (uint32_t i = 0; i < RTE_DIM(control.waits); i++)
		if (control.waits[i].fd >= 0)
			close(control.waits[i].fd);
}

bool openflow_control_start(const void *settings, const struct rcu_tables *rcu, struct rte_rcu_qsbr *readers)
{
	control.settings = settings;
	control.rcu = rcu;
	control.readers = readers;
	if (control.settings->control == NULL)
		return true;
	for (uint32_t i = 0; i < RTE_DIM(control.waits); i++)
		control.waits[i] = (struct pollfd){.fd = -1, .events = POLLIN};
	memset(control.clients, 0, sizeof(control.clients));
	control.waits[0].fd = eventfd(0, EFD_CLOEXEC);
	control.runs = control.waits[0].fd >= 0 && open_socket(control.settings->control) &&
		       control_thread_start(&control.thread, "openflow", serve);
	if (control.runs) {
		fprintf(stderr, "openflow: takes flow-mods at %s\n", control.settings->control);
		return true;
	}
	fprintf(stderr, "openflow: cannot take flow-mods at [openflow] control = %s: %s\n", control.settings->control,
		strerror(errno));
	close_all();
	return false;
}

void openflow_control_stop(void)
{
	const uint64_t one = 1;

	if (!control.runs)
		return;
	(void)!write(control.waits[0].fd, &one, sizeof(one));
	control_thread_join(&control.thread);
	close_all();
	remove_left(control.settings->control);
	control.runs = false;
}
