/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture.h"
#include "control_thread.h"
#include "pfcp/pfcp_node.h"
#include "session/upf_control.h"
#include "session/upf_retire.h"
#include "session/upf_sessions.h"

#define REPORTS_EVERY_MS 100
#define LONGEST_FRAME 9216u /* of a capture of messages */

/* The control thread's, but for what says otherwise. */
static struct {
	const struct pdr_settings *settings;
	struct upf_store *store;
	struct pfcp_node node;
	struct control_thread thread;
	bool runs;	 /* main's */
	int wake;	 /* eventfd: the request to end */
	int timer;	 /* when sessions come and go; -1: they do not */
	int n4;		 /* socket; -1: none */
	uint64_t *seids; /* of subscribers' sessions; 0: none */
	uint32_t next;	 /* the subscriber who leaves next */
} control = {.wake = -1, .timer = -1, .n4 = -1};

static bool fill_from_file(struct upf_store *store, const struct pdr_settings *s)
{
	for (uint32_t i = 0; i < s->session_count; i++) {
		struct upf_refusal refusal;
		char text[UPF_REFUSAL_BYTES];
		if (upf_store_establish(store, &s->sessions[i].rules, &refusal) != 0)
			continue;
		upf_say_refusal(&refusal, text);
		fprintf(stderr, "%s:%u: session: %s\n", s->sessions_path, s->sessions[i].line, text);
		return false;
	}
	return true;
}

static bool attach(struct upf_store *store, const struct pdr_settings *s, uint32_t number)
{
	struct upf_rules rules;
	struct upf_refusal refusal;
	char text[UPF_REFUSAL_BYTES];

	upf_subscriber_rules(&s->subscribers, number, &rules);
	control.seids[number] = upf_store_establish(store, &rules, &refusal);
	if (control.seids[number] != 0)
		return true;
	upf_say_refusal(&refusal, text);
	fprintf(stderr, "pdr: the session of subscriber %u: %s\n", number, text);
	return false;
}

static bool fill_generated(struct upf_store *store, const struct pdr_settings *s)
{
	if (!s->generated)
		return true;
	control.seids = calloc(s->subscribers.count, sizeof(*control.seids));
	if (control.seids == NULL) {
		fprintf(stderr, "pdr: no memory for %u subscribers\n", s->subscribers.count);
		return false;
	}
	for (uint32_t i = 0; i < s->subscribers.count; i++)
		if (!attach(store, s, i))
			return false;
	return true;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Messages of a capture, as an SMF has sent them. */

static bool take_message(const char *path, uint32_t number, const struct capture_frame *f)
{
	struct packet p = {0};
	struct pfcp_fault fault;
	char text[UPF_REFUSAL_BYTES];

	packet_parse(f->data, f->bytes, &p);
	if (p.version != 4 || p.kind != PACKET_L4 || p.protocol != IPPROTO_UDP ||
	    load_be16(f->data + p.l4 + 2) != PFCP_PORT)
		return true;
	const struct pfcp_end from = {load32(f->data + ETHER_BYTES + 12), load16(f->data + p.l4)};
	(void)pfcp_node_receive(&control.node, from, f->data + p.payload, p.payload_bytes, now_ms(), &fault);
	if (fault.cause == PFCP_ACCEPTED)
		return true;
	upf_say_refusal(&fault.rule, text);
	fprintf(stderr, "%s: message %u: %s (cause %u)\n", path, number, text, fault.cause);
	return false;
}

static bool fill_from_messages(const struct pdr_settings *s)
{
	const struct capture_terms terms = {.max_frame_bytes = LONGEST_FRAME, .unfit = UNFIT_REFUSE};
	struct capture capture;
	char reason[512];
	bool good = true;

	if (s->messages == NULL)
		return true;
	if (!capture_load(&capture, s->messages, &terms, reason, sizeof(reason))) {
		fprintf(stderr, "pdr: messages: %s\n", reason);
		return false;
	}
	for (uint32_t i = 0; good && i < capture.count; i++)
		good = take_message(s->messages, i + 1, &capture.frames[i]);
	capture_free(&capture);
	return good;
}

bool upf_control_fill(const struct pdr_settings *s, const struct stage_place *place)
{
	struct upf_store *store = upf_store_create(&s->store, place);

	if (store == NULL)
		return false;
	free(control.seids);
	control.seids = NULL;
	if (!pfcp_node_open(&control.node, store, s->n3, s->n4, (uint64_t)time(NULL)))
		fprintf(stderr, "pdr: no memory for what SMFs say\n");
	else if (fill_from_file(store, s) && fill_generated(store, s) && fill_from_messages(s))
		return true;
	upf_control_empty();
	return false;
}

void upf_control_empty(void)
{
	pfcp_node_close(&control.node);
	upf_store_destroy(upf_store_running());
	free(control.seids);
	control.seids = NULL;
}

/* A subscriber leaves and comes back: its session ends, and another one begins. */
static void churn(uint64_t times)
{
	pthread_mutex_lock(&control.store->lock);
	for (uint64_t i = 0; i < times; i++) {
		if (control.seids[control.next] != 0)
			(void)upf_store_remove(control.store, control.seids[control.next]);
		(void)attach(control.store, control.settings, control.next);
		control.next = control.next + 1 == control.settings->subscribers.count ? 0 : control.next + 1;
	}
	pthread_mutex_unlock(&control.store->lock);
}

static void say_refused(const struct sockaddr_in *from, uint64_t number, const struct pfcp_fault *f)
{
	char address[INET_ADDRSTRLEN], text[UPF_REFUSAL_BYTES];

	upf_say_refusal(&f->rule, text);
	fprintf(stderr, "pdr: n4: message %" PRIu64 ", from %s: %s (cause %u)\n", number,
		inet_ntop(AF_INET, &from->sin_addr, address, sizeof(address)), text, f->cause);
}

static void receive(void)
{
	static uint64_t number;
	uint8_t data[PFCP_MESSAGE_MAX];
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	ssize_t bytes = recvfrom(control.n4, data, sizeof(data), 0, (struct sockaddr *)&from, &size);
	struct pfcp_fault fault;

	if (bytes < 0)
		return;
	number++;
	pthread_mutex_lock(&control.store->lock);
	const struct pfcp_end peer = {from.sin_addr.s_addr, from.sin_port};
	const struct pfcp_writer *reply = pfcp_node_receive(&control.node, peer, data, (size_t)bytes, now_ms(), &fault);
	pthread_mutex_unlock(&control.store->lock);
	if (fault.cause != PFCP_ACCEPTED)
		say_refused(&from, number, &fault);
	if (reply != NULL)
		(void)sendto(control.n4, reply->data, reply->bytes, 0, (struct sockaddr *)&from, size);
}

static void report(void)
{
	static struct pfcp_writer message;
	struct pfcp_end to;

	pthread_mutex_lock(&control.store->lock);
	upf_reclaim(control.store, false);
	while (pfcp_node_report(&control.node, &message, &to)) {
		const struct sockaddr_in address = {
			.sin_family = AF_INET,
			.sin_port = to.port,
			.sin_addr = {to.address},
		};
		if (control.n4 >= 0)
			(void)sendto(control.n4, message.data, message.bytes, 0, (const struct sockaddr *)&address,
				     sizeof(address));
	}
	pthread_mutex_unlock(&control.store->lock);
}

/* Descriptors that are -1 are passed over by poll(). */
static void serve(void)
{
	struct pollfd waits[] = {
		{.fd = control.wake, .events = POLLIN},
		{.fd = control.timer, .events = POLLIN},
		{.fd = control.n4, .events = POLLIN},
	};
	uint64_t times;

	for (;;) {
		if (poll(waits, RTE_DIM(waits), REPORTS_EVERY_MS) < 0) {
			if (errno == EINTR)
				continue;
			return;
		}
		if ((waits[0].revents & POLLIN) != 0)
			return;
		if ((waits[1].revents & POLLIN) != 0 && read(control.timer, &times, sizeof(times)) == sizeof(times))
			churn(times);
		if ((waits[2].revents & POLLIN) != 0)
			receive();
		report();
	}
}

static bool open_timer(uint32_t per_second)
{
	const struct timespec period = {.tv_sec = per_second == 1, .tv_nsec = per_second == 1 ? 0 : 1000000000 / per_second};
	const struct itimerspec times = {.it_interval = period, .it_value = period};

	control.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	return control.timer >= 0 && timerfd_settime(control.timer, 0, &times, NULL) == 0;
}

static bool open_n4(uint32_t address)
{
	const struct sockaddr_in here = {
		.sin_family = AF_INET,
		.sin_port = htons(PFCP_PORT),
		.sin_addr = {address},
	};

	control.n4 = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return control.n4 >= 0 && bind(control.n4, (const struct sockaddr *)&here, sizeof(here)) == 0;
}

static void close_all(void)
{
	int *const open[] = {&control.wake, &control.timer, &control.n4};

	for (uint32_t i = 0; i < RTE_DIM(open); i++) {
		if (*open[i] >= 0)
			close(*open[i]);
		*open[i] = -1;
	}
}

bool upf_control_start(const void *settings, const struct rcu_tables *rcu, struct rte_rcu_qsbr *readers)
{
	const struct pdr_settings *s = control.settings = settings;

	(void)rcu;
	control.store = upf_store_running();
	control.store->readers = readers;
	if (s->churn == 0 && s->n4 == 0)
		return true;
	control.wake = eventfd(0, EFD_CLOEXEC);
	control.runs = control.wake >= 0 && (s->churn == 0 || open_timer(s->churn)) && (s->n4 == 0 || open_n4(s->n4)) &&
		       control_thread_start(&control.thread, "upf", serve);
	if (control.runs)
		return true;
	fprintf(stderr, "pdr: cannot start the thread that changes sessions%s: %s\n", s->n4 == 0 ? "" : ", with a socket at n4",
		strerror(errno));
	close_all();
	return false;
}

void upf_control_stop(void)
{
	const uint64_t one = 1;

	if (control.runs) {
		(void)!write(control.wake, &one, sizeof(one));
		control_thread_join(&control.thread);
		control.runs = false;
	}
	close_all();
	control.store->readers = NULL; /* the lcores are gone */
	upf_reclaim(control.store, false);
}
