/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include <rte_malloc.h>

#include "check.h"
#include "hop/hop_nf.h"
#include "hop/hop_switch.h"
#include "stage_fixture.h"

#define SLOTS 32u
#define BATCH 8u

static char said[4096];

static void note(void *arg, uint32_t line, const char *format, va_list values)
{
	size_t used = strlen(said);
	int more = snprintf(said + used, sizeof(said) - used, "%u: ", line);

	(void)arg;
	used += (size_t)more;
	vsnprintf(said + used, sizeof(said) - used, format, values);
	strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

static bool parse(struct field_table *table, const char *text)
{
	said[0] = '\0';
	return field_table_parse(table, text, strlen(text), note, NULL);
}

static void refused(const char *text, const char *message)
{
	struct field_table table;

	CHECK(!parse(&table, text));
	if (strstr(said, message) == NULL)
		fprintf(stderr, "%s", said);
	CHECK(strstr(said, message) != NULL);
	CHECK_EQUAL(table.count, 0);
	CHECK_EQUAL(table.stride, 0);
}

static void the_widest_field_comes_first(void)
{
	struct field_table table;

	CHECK(parse(&table, "# two fields\nport,2\n\n len , 4 # bytes\r\nown_8,8\n"));
	CHECK_EQUAL(table.count, 3);
	CHECK_EQUAL(table.stride, 16);
	CHECK_EQUAL(field_table_find(&table, "own_8").offset, 0);
	CHECK_EQUAL(field_table_find(&table, "len").offset, 8);
	CHECK_EQUAL(field_table_find(&table, "port").offset, 12);
	CHECK_EQUAL(field_table_find(&table, "port").bytes, 2);
	CHECK_EQUAL(field_table_find(&table, "hash").bytes, 0);
	CHECK(parse(&table, ""));
	CHECK_EQUAL(table.stride, 0);
}

static void mistakes_have_a_line_and_a_reason(void)
{
	refused("len,4\nport\n", "2: expected name,bytes like port,2");
	refused("len 4\n", "1: expected name,bytes");
	refused("Len,4\n", "1: expected name,bytes");
	refused("4,4\n", "1: expected name,bytes");
	refused("len,3\n", "1: field len: expected 1, 2, 4 or 8 bytes");
	refused("len,\n", "1: field len: expected 1, 2, 4 or 8 bytes");
	refused("len,44\n", "1: field len: expected 1, 2, 4 or 8 bytes");
	refused("len,1\n", "1: field len: expected at least 2 bytes");
	refused("len,4\n#\nlen,4\n", "3: field len is already in line 1");
	refused("a_name_that_has_more_than_31_letters,4\n", "1: the name of a field has at most 31 letters");
	refused("a,8\nb,8\nc,8\nd,8\ne,8\nf,8\ng,8\nh,8\ni,1\n", "9: field i: more than 64 bytes in all");
	refused("a,1\nb,1\nc,1\nd,1\ne,1\nf,1\ng,1\nh,1\ni,1\nj,1\nk,1\nl,1\nm,1\nn,1\no,1\np,1\nq,1\n",
		"17: more than 16 fields");
	refused("x\ny\n", "2: expected name,bytes"); /* all of them */
}

static void values_are_kept_by_width(void)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	uint8_t record[32];
	struct field_table table;

	CHECK(parse(&table, "a,1\nb,2\nc,4\nd,8\n"));
	memset(record, 0xee, sizeof(record));
	for (uint32_t i = 0; i < 4; i++)
		field_write(record, field_table_find(&table, names[i]), UINT64_C(0x1122334455667788));
	CHECK_EQUAL(field_read(record, field_table_find(&table, "a")), 0x88);
	CHECK_EQUAL(field_read(record, field_table_find(&table, "b")), 0x7788);
	CHECK_EQUAL(field_read(record, field_table_find(&table, "c")), 0x55667788);
	CHECK_EQUAL(field_read(record, field_table_find(&table, "d")), UINT64_C(0x1122334455667788));
	CHECK_EQUAL(record[15], 0xee);
	field_write(record, field_table_find(&table, "none"), 1);
	CHECK_EQUAL(field_read(record, field_table_find(&table, "none")), 0);
}

static void a_packet_buffer_has_places_of_its_own(void)
{
	struct field_table table;

	CHECK(parse(&table, "len,4\nport,2\ntenant,8\n"));
	CHECK(field_table_place_in_mbuf(&table) == NULL);
	CHECK_EQUAL(field_table_find(&table, "len").offset, offsetof(struct rte_mbuf, pkt_len));
	CHECK(field_table_find(&table, "tenant").offset >= offsetof(struct rte_mbuf, dynfield1));
	CHECK(field_table_is_sound(&table, sizeof(struct rte_mbuf)));
	CHECK(parse(&table, "a,8\nb,8\nc,8\nd,8\ne,8\n"));
	CHECK(strcmp(field_table_place_in_mbuf(&table)->name, "e") == 0);
}

static void a_table_of_another_process_is_checked(void)
{
	struct field_table good, bad;

	CHECK(parse(&good, "len,4\nport,2\n"));
	CHECK(field_table_is_sound(&good, 64));
	bad = good;
	bad.count = FIELDS_MAX + 1;
	CHECK(!field_table_is_sound(&bad, 64));
	bad = good;
	bad.fields[1].offset = 7;
	CHECK(!field_table_is_sound(&bad, 64));
	bad = good;
	bad.fields[0].bytes = 3;
	CHECK(!field_table_is_sound(&bad, 64));
	bad = good;
	memset(bad.fields[0].name, 'x', sizeof(bad.fields[0].name));
	CHECK(!field_table_is_sound(&bad, 64));
	bad = good;
	bad.stride = 128;
	CHECK(!field_table_is_sound(&bad, 64));
}

struct ends {
	struct hop_settings settings;
	struct rte_ring *from, *to;
	struct rte_mempool *pool;
	struct hop_switch sw;
	struct hop_nf nf;
};

static const struct stop_flag go_on;

static void open_ends(struct ends *e, enum hop_buffers buffers, const char *path)
{
	struct hop_settings *s = &e->settings;

	*s = (struct hop_settings){.buffers = buffers, .packets = SLOTS, .path = (char *)(uintptr_t)path};
	CHECK(parse(&s->fields, "len,4\nport,2\nhash,4\n"));
	if (buffers == HOP_MBUF)
		CHECK(field_table_place_in_mbuf(&s->fields) == NULL);
	e->pool = rte_pktmbuf_pool_create("switch", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, (int)rte_socket_id());
	e->from = rte_ring_create("from", 128, (int)rte_socket_id(), RING_F_SP_ENQ | RING_F_SC_DEQ);
	e->to = rte_ring_create("to", 128, (int)rte_socket_id(), RING_F_SP_ENQ | RING_F_SC_DEQ);
	CHECK(e->pool != NULL && e->from != NULL && e->to != NULL);
	CHECK(hop_switch_open(&e->sw, &(struct hop_switch_settings){s, e->from, e->to, e->pool, BATCH, 2}));
	const struct stop_flag at_once = {1};
	CHECK(!hop_switch_meet(&e->sw, &at_once));
	CHECK(hop_nf_open(&e->nf, &(struct hop_nf_settings){
					  .shared = path == NULL ? &e->sw.hop : NULL, .path = path, .views = SLOTS, .stop = &go_on}));
	CHECK(hop_switch_meet(&e->sw, &go_on));
}

static void close_ends(struct ends *e)
{
	hop_nf_close(&e->nf);
	hop_switch_close(&e->sw);
	rte_ring_free(e->from);
	rte_ring_free(e->to);
	rte_mempool_free(e->pool);
}

/* Frames with their number, hash and length. */
static void give(struct ends *e, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(e->pool);
		CHECK(m != NULL);
		uint8_t *frame = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(60 + i));
		memset(frame, (int)i, 60 + i);
		m->hash.rss = 1000 + i;
		m->port = (uint16_t)i;
		CHECK(rte_ring_sp_enqueue(e->from, m) == 0);
	}
}

/* The NF's work: odd packets are dropped, others lose their first byte and get two before it. */
static uint32_t work(struct ends *e, uint32_t first)
{
	struct rte_mbuf *mbufs[BATCH], *sent[BATCH];
	uint32_t n = hop_nf_receive(&e->nf, mbufs, BATCH);
	uint16_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m = mbufs[i];
		CHECK_EQUAL(m->data_len, 60 + first + i);
		CHECK_EQUAL(m->port, first + i);
		CHECK_EQUAL(m->hash.rss, 1000 + first + i);
		CHECK_EQUAL(*rte_pktmbuf_mtod(m, uint8_t *), (uint8_t)(first + i));
		if ((first + i) % 2 == 1) {
			rte_pktmbuf_free_bulk(&m, 1);
			continue;
		}
		CHECK(rte_pktmbuf_adj(m, 1) != NULL);
		memset(rte_pktmbuf_prepend(m, 2), 0xaa, 2);
		sent[kept++] = m;
	}
	hop_nf_send(&e->nf, 1, sent, kept);
	return n;
}

static void check_arrivals(struct ends *e, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		struct rte_mbuf *m;
		if (i % 2 == 1)
			continue;
		CHECK(rte_ring_sc_dequeue(e->to, (void **)&m) == 0);
		const uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
		CHECK_EQUAL(m->data_len, 61 + i);
		CHECK_EQUAL(m->hash.rss, 1000 + i);
		CHECK(frame[0] == 0xaa && frame[1] == 0xaa && frame[2] == (uint8_t)i);
		rte_pktmbuf_free(m);
	}
	CHECK_EQUAL(rte_ring_count(e->to), 0);
}

/* More rounds than slots, so that every slot is used again. */
static void packets_cross(enum hop_buffers buffers, const char *path)
{
	static struct ends ends;

	open_ends(&ends, buffers, path);
	for (uint32_t round = 0; round < 20; round++) {
		uint32_t first = round * BATCH;
		give(&ends, first, BATCH);
		CHECK_EQUAL(hop_switch_send(&ends.sw), 0);
		CHECK(hop_switch_expects(&ends.sw, false));
		CHECK_EQUAL(work(&ends, first), BATCH);
		CHECK_EQUAL(hop_switch_receive(&ends.sw), BATCH);
		CHECK(!hop_switch_expects(&ends.sw, false));
		check_arrivals(&ends, first, BATCH);
	}
	CHECK_EQUAL(rte_mempool_avail_count(ends.pool), 255);
	CHECK_EQUAL(ends.sw.refused + ends.nf.refused, 0);
	CHECK(!hop_nf_over(&ends.nf));
	hop_switch_end(&ends.sw);
	CHECK(hop_nf_over(&ends.nf));
	close_ends(&ends);
	CHECK(path == NULL || access(path, F_OK) != 0);
}

static void packets_cross_in_every_form(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/nalm-hop-test-%d", (int)getpid());
	for (enum hop_buffers b = HOP_MBUF; b <= HOP_FDT_AGGREGATED; b++) {
		packets_cross(b, NULL);
		packets_cross(b, path);
	}
}

static void a_full_hop_holds_packets_back(void)
{
	static struct ends ends;

	open_ends(&ends, HOP_FDT_AGGREGATED, NULL);
	give(&ends, 0, SLOTS + 4);
	while (hop_switch_send(&ends.sw) > 5)
		;
	CHECK_EQUAL(hop_switch_send(&ends.sw), 5); /* one slot stays free */
	CHECK_EQUAL(ends.sw.crossing, SLOTS - 1);
	for (uint32_t done = 0; done < SLOTS + 4;) {
		done += work(&ends, done);
		hop_switch_receive(&ends.sw);
		hop_switch_send(&ends.sw);
	}
	check_arrivals(&ends, 0, SLOTS + 4);
	close_ends(&ends);
}

/* What the other process writes may be anything. */
static void words_that_name_nothing_are_refused(void)
{
	const uint32_t wrong[] = {hop_word(SLOTS, HOP_HEADROOM), hop_word(3, HOP_HEADROOM + HOP_FRAME_BYTES + 1),
				  hop_word(4, HOP_HEADROOM), UINT32_MAX};
	struct rte_mbuf *mbufs[BATCH];
	static struct ends ends;

	open_ends(&ends, HOP_FDT, NULL);
	field_write(hop_record(&ends.sw.hop, 3), ends.sw.hop.fields.len, 1);
	field_write(hop_record(&ends.sw.hop, 4), ends.sw.hop.fields.len, HOP_FRAME_BYTES + 1);
	hop_put(ends.sw.hop.filled, wrong, 4);
	CHECK_EQUAL(hop_nf_receive(&ends.nf, mbufs, BATCH), 0);
	CHECK_EQUAL(ends.nf.refused, 4);
	hop_switch_receive(&ends.sw); /* two of them name a slot, which comes back, and no packet is away */
	CHECK_EQUAL(ends.sw.refused, 2);
	hop_put(ends.sw.hop.done[0], wrong, 4);
	hop_switch_receive(&ends.sw);
	CHECK_EQUAL(ends.sw.refused, 6);
	give(&ends, 0, 1);
	CHECK_EQUAL(hop_switch_send(&ends.sw), 0);
	field_write(hop_record(&ends.sw.hop, 0), ends.sw.hop.fields.len, UINT32_MAX);
	hop_put(ends.sw.hop.done[0], &(uint32_t){hop_word(0, HOP_HEADROOM)}, 1);
	hop_switch_receive(&ends.sw);
	CHECK_EQUAL(ends.sw.refused, 7);
	CHECK_EQUAL(rte_ring_count(ends.to), 0);
	CHECK_EQUAL(rte_mempool_avail_count(ends.pool), 255);
	close_ends(&ends);
}

/* A packet that the NF refuses is not waited for. */
static void slots_of_refused_words_come_back(void)
{
	struct rte_mbuf *mbufs[BATCH];
	static struct ends ends;

	open_ends(&ends, HOP_FDT_AGGREGATED, NULL);
	give(&ends, 0, BATCH);
	CHECK_EQUAL(hop_switch_send(&ends.sw), 0);
	for (uint32_t slot = 0; slot < BATCH; slot++)
		field_write(hop_record(&ends.sw.hop, slot), ends.sw.hop.fields.len, HOP_FRAME_BYTES + 1);
	CHECK_EQUAL(hop_nf_receive(&ends.nf, mbufs, BATCH), 0);
	CHECK_EQUAL(ends.nf.refused, BATCH);
	CHECK_EQUAL(hop_switch_receive(&ends.sw), BATCH);
	CHECK(!hop_switch_expects(&ends.sw, false));
	CHECK_EQUAL(rte_mempool_avail_count(ends.pool), 255);
	close_ends(&ends);
}

static struct rte_mbuf *longest(struct ends *e)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(e->pool);

	CHECK(m != NULL);
	memset(rte_pktmbuf_append(m, HOP_FRAME_BYTES), 0xaa, HOP_FRAME_BYTES);
	return m;
}

static void frames_that_no_slot_has_room_for(void)
{
	struct rte_mbuf *m;
	static struct ends ends;

	open_ends(&ends, HOP_FDT, NULL);
	give(&ends, 0, SLOTS - 1);
	while (hop_switch_send(&ends.sw) != 0)
		;
	CHECK_EQUAL(work(&ends, 0), BATCH);
	CHECK_EQUAL(hop_switch_receive(&ends.sw), BATCH); /* slots 0 and following are free, others are away */
	check_arrivals(&ends, 0, BATCH);
	for (uint32_t i = 0; i < BATCH; i++) {
		m = longest(&ends);
		memset(rte_pktmbuf_prepend(m, 22), 0xbb, 22); /* as stage pbb does */
		CHECK(rte_ring_sp_enqueue(ends.from, m) == 0);
	}
	CHECK_EQUAL(hop_switch_send(&ends.sw), 0);
	CHECK_EQUAL(ends.sw.too_long, BATCH);
	for (uint32_t done = BATCH; done < SLOTS - 1;) { /* what was away is as it was */
		uint32_t n = work(&ends, done);
		hop_switch_receive(&ends.sw);
		check_arrivals(&ends, done, n);
		done += n;
	}
	CHECK(!hop_switch_expects(&ends.sw, false));
	CHECK_EQUAL(rte_mempool_avail_count(ends.pool), 255);
	close_ends(&ends);
}

/* A longest frame that a stage has made longer comes back whole. */
static void frames_that_grow(void)
{
	struct rte_mbuf *m;
	static struct ends ends;

	open_ends(&ends, HOP_FDT, NULL);
	CHECK(rte_ring_sp_enqueue(ends.from, longest(&ends)) == 0);
	CHECK_EQUAL(hop_switch_send(&ends.sw), 0);
	CHECK_EQUAL(hop_nf_receive(&ends.nf, &m, 1), 1);
	memset(rte_pktmbuf_prepend(m, HOP_HEADROOM), 0xbb, HOP_HEADROOM);
	hop_nf_send(&ends.nf, 0, &m, 1);
	CHECK_EQUAL(hop_switch_receive(&ends.sw), 1);
	CHECK_EQUAL(ends.sw.refused, 0);
	CHECK(rte_ring_sc_dequeue(ends.to, (void **)&m) == 0);
	const uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	CHECK_EQUAL(m->data_len, HOP_HEADROOM + HOP_FRAME_BYTES);
	CHECK(frame[0] == 0xbb && frame[HOP_HEADROOM - 1] == 0xbb);
	CHECK(frame[HOP_HEADROOM] == 0xaa && frame[m->data_len - 1] == 0xaa);
	rte_pktmbuf_free(m);
	close_ends(&ends);
}

static void other_files_are_refused(void)
{
	struct hop hop;
	const char *text = fixture_file("this is a file of a few words, and not the memory of a hop");

	CHECK(!hop_attach(&hop, text, &go_on));
	CHECK(truncate(text, 65536) == 0);
	CHECK(!hop_attach(&hop, text, &go_on));
	CHECK(hop.header == NULL);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(the_widest_field_comes_first);
	RUN(mistakes_have_a_line_and_a_reason);
	RUN(values_are_kept_by_width);
	RUN(a_packet_buffer_has_places_of_its_own);
	RUN(a_table_of_another_process_is_checked);
	RUN(packets_cross_in_every_form);
	RUN(a_full_hop_holds_packets_back);
	RUN(words_that_name_nothing_are_refused);
	RUN(slots_of_refused_words_come_back);
	RUN(frames_that_no_slot_has_room_for);
	RUN(frames_that_grow);
	RUN(other_files_are_refused);
	return 0;
}
