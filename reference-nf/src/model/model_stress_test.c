/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hand-over ring and the restoring of order, with real threads. Runs without EAL, so that ThreadSanitizer
 * (-Db_sanitize=thread -Dc_args=-DRTE_USE_C11_MEM_MODEL) instruments every access.
 */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "role/handover.h"
#include "role/order.h"
#include "packet/mbuf_metadata.h"

#define PACKETS 200000u
#define RING 256u
#define BATCH 32u
#define WORKERS 3u

/* A packet buffer with the fields that the code under test reads. */
struct buffer {
	struct rte_mbuf mbuf;
	struct mbuf_metadata metadata;
	uint8_t frame[64];
};

static struct buffer *make_buffers(uint32_t count)
{
	struct buffer *b = aligned_alloc(64, (size_t)count * sizeof(*b));

	CHECK(b != NULL);
	memset(b, 0, (size_t)count * sizeof(*b));
	for (uint32_t i = 0; i < count; i++) {
		b[i].mbuf.buf_addr = b[i].frame;
		b[i].mbuf.priv_size = sizeof(struct mbuf_metadata);
	}
	return b;
}

static struct rte_ring *make_ring(void)
{
	struct rte_ring *r = aligned_alloc(64, RTE_ALIGN_CEIL((size_t)rte_ring_get_memsize(RING * 2), 64));

	CHECK(r != NULL);
	CHECK_EQUAL(rte_ring_init(r, "stress", RING, RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ), 0);
	return r;
}

static pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t thread;
	CHECK_EQUAL(pthread_create(&thread, NULL, body, arg), 0);
	return thread;
}

struct sender {
	struct handover handover;
	struct buffer *buffers;
};

static void *send_all(void *arg)
{
	struct sender *s = arg;
	struct batch *batch = calloc(1, sizeof(*batch));
	uint32_t sent = 0;

	CHECK(batch != NULL);
	while (sent < PACKETS) {
		if (!handover_has_room(&s->handover)) {
			sched_yield();
			continue;
		}
		for (batch->count = 0; batch->count < BATCH && sent < PACKETS; batch->count++, sent++) {
			batch->mbufs[batch->count] = &s->buffers[sent].mbuf;
			batch->packets[batch->count] = (struct packet){.l4 = (uint16_t)sent};
			memcpy(s->buffers[sent].frame, &sent, sizeof(sent));
		}
		handover_out_process(&s->handover, batch, sent);
		CHECK_EQUAL(batch->count, 0);
	}
	free(batch);
	return NULL;
}

static void handover_keeps_all_in_order(void)
{
	struct sender s = {.handover = {.ring = make_ring(), .batch_size = BATCH}, .buffers = make_buffers(PACKETS)};
	struct batch *batch = calloc(1, sizeof(*batch));
	pthread_t thread = start(send_all, &s);
	uint64_t was = 0;

	CHECK(batch != NULL);
	for (uint32_t seen = 0; seen < PACKETS;) {
		uint64_t now = handover_in_process(&s.handover, batch);
		if (batch->count == 0) {
			sched_yield();
			continue;
		}
		CHECK(now >= was);
		was = now;
		for (uint32_t i = 0; i < batch->count; i++, seen++) {
			uint32_t number;
			memcpy(&number, batch_frame(batch, i), sizeof(number));
			CHECK_EQUAL(number, seen);
			CHECK_EQUAL(batch->packets[i].l4, (uint16_t)seen);
		}
	}
	pthread_join(thread, NULL);
	free(batch);
	free(s.buffers);
	free(s.handover.ring);
}

/* Every third ticket is a gap; batches of tickets go to the workers in turn, as the dispatching lcore does. */
static bool is_dropped(uint64_t ticket)
{
	return ticket % 3 == 1;
}

struct worker {
	struct rte_ring *ring;
	struct buffer *buffers;
	uint32_t number;
};

static void *pass_tickets(void *arg)
{
	struct worker *w = arg;

	for (uint64_t ticket = 0; ticket < PACKETS; ticket++) {
		if (ticket / BATCH % WORKERS != w->number)
			continue;
		struct buffer *b = &w->buffers[ticket];
		void *entry = is_dropped(ticket) ? order_gap(ticket) : (void *)b;
		b->metadata.ticket = ticket;
		b->metadata.packet.l4 = (uint16_t)ticket;
		while (rte_ring_sp_enqueue(w->ring, entry) != 0)
			sched_yield();
	}
	return NULL;
}

static void order_is_restored(void)
{
	struct buffer *buffers = make_buffers(PACKETS);
	struct batch *batch = calloc(1, sizeof(*batch));
	struct order order = {.sources = WORKERS};
	struct worker workers[WORKERS];
	pthread_t threads[WORKERS];
	uint64_t expected = 0, gaps = 0, packets = 0;

	CHECK(batch != NULL);
	for (uint32_t w = 0; w < WORKERS; w++) {
		workers[w] = (struct worker){make_ring(), buffers, w};
		order.from[w].ring = workers[w].ring;
		threads[w] = start(pass_tickets, &workers[w]);
	}
	while (packets + gaps < PACKETS) {
		uint32_t found = order_process(&order, batch, BATCH);
		if (found + batch->count == 0)
			sched_yield();
		gaps += found;
		for (uint32_t i = 0; i < batch->count; i++, packets++) {
			while (is_dropped(expected))
				expected++;
			CHECK_EQUAL(mbuf_metadata(batch->mbufs[i])->ticket, expected);
			CHECK_EQUAL(batch->packets[i].l4, (uint16_t)expected);
			expected++;
		}
	}
	CHECK_EQUAL(gaps, (PACKETS + 1) / 3);
	for (uint32_t w = 0; w < WORKERS; w++) {
		pthread_join(threads[w], NULL);
		free(workers[w].ring);
	}
	free(batch);
	free(buffers);
}

int main(void)
{
	RUN(handover_keeps_all_in_order);
	RUN(order_is_restored);
	return 0;
}
