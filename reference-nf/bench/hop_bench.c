/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hop_bench SIDE BUFFERS PATH SLOTS PACKETS FIELDS [EAL options]: one end of a hop, as a process of its own. Each prints
 * a line of JSON. SIDE is switch or nf, BUFFERS mbuf, fdt, fdt_aggregated, memif or vhost, FIELDS a field definition
 * file; the nf ignores SLOTS, PACKETS and FIELDS.
 *
 * The switch numbers each packet and writes its metadata. The NF reads every field, exchanges the Ethernet addresses
 * and signs the number; the switch checks the signature of each packet that comes back. Packets are 60 bytes without
 * FCS. A device's NF does the same with the packet buffers that it receives, which have no metadata but length and port.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_ether.h>

#include "hop/hop.h"
#include "hop/hop_device.h"
#include "median.h"

#define BATCH 32u
#define FRAME_BYTES 60u
#define NUMBER_AT 42u /* after Ethernet, IPv4 and UDP */
#define SIGN UINT64_C(0x9e3779b97f4a7c15)
#define DEVICE_BUFFERS 4095u
#define DESCRIPTORS 256u
#define PATIENCE_S 60u
#define TURNS 200000u /* whose times are kept; the latest */

enum { SIDE, BUFFERS, PATH, SLOTS, PACKETS, FIELDS, ARGUMENTS };

static struct stop_flag stop;

/* Cycles per packet of each turn that handled some: their median leaves out turns that the scheduler interrupted. */
struct turns {
	double cycles[TURNS];
	uint32_t count;
};

static void keep(struct turns *t, uint64_t begin, uint32_t packets)
{
	if (packets != 0)
		t->cycles[t->count++ % TURNS] = (double)(rte_rdtsc() - begin) / packets;
}

static double middle(struct turns *t)
{
	uint32_t count = RTE_MIN(t->count, TURNS);

	return count == 0 ? 0 : median(t->cycles, count);
}

static void on_signal(int number)
{
	(void)number;
	stop_flag_set(&stop);
}

static void fail(const char *what)
{
	fprintf(stderr, "hop_bench: %s\n", what);
	exit(1);
}

/* One of each process. */
static struct {
	struct hop_settings settings;
	struct hop hop;
	uint16_t device;
	struct rte_mempool *pool;
	struct rte_mbuf *kept[BATCH]; /* for room in the device */
	uint32_t kept_count;
	uint32_t free[HOP_WORD_SLOT + 1], free_at, free_count; /* slots, in the order in which they came back */
	uint64_t sent, received, packets;
	uint64_t sum; /* of what was read, so that no read is optimized away */
	uint64_t ticks;
	struct turns to, back; /* of the switch: to the NF, and back; the NF has the first alone */
} b;

static void say_mistake(void *arg, uint32_t line, const char *format, va_list values)
{
	(void)arg;
	fprintf(stderr, "hop_bench: line %u: ", line);
	vfprintf(stderr, format, values);
	fprintf(stderr, "\n");
}

static void read_fields(const char *path)
{
	char text[4096];
	FILE *file = fopen(path, "r");

	if (file == NULL)
		fail("cannot read the field definition file");
	size_t bytes = fread(text, 1, sizeof(text), file);
	fclose(file);
	if (!field_table_parse(&b.settings.fields, text, bytes, say_mistake, NULL) ||
	    (b.settings.buffers == HOP_MBUF && field_table_place_in_mbuf(&b.settings.fields) != NULL))
		fail("wrong fields");
}

static enum hop_buffers find_buffers(const char *name)
{
	static const char *const names[] = {"none", "mbuf", "fdt", "fdt_aggregated", "memif", "vhost"};

	for (uint32_t i = 1; i < RTE_DIM(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum hop_buffers)i;
	fail("unknown buffers");
	return HOP_NONE;
}

static inline uint64_t number_of(const uint8_t *frame)
{
	uint64_t number;

	memcpy(&number, frame + NUMBER_AT, sizeof(number));
	return number;
}

static inline void write_number(uint8_t *frame, uint64_t number)
{
	memcpy(frame + NUMBER_AT, &number, sizeof(number));
}

/* The NF's work on a frame. */
static inline void answer(uint8_t *frame)
{
	struct rte_ether_hdr *ether = (struct rte_ether_hdr *)frame;
	struct rte_ether_addr source = ether->src_addr;

	ether->src_addr = ether->dst_addr;
	ether->dst_addr = source;
	write_number(frame, number_of(frame) ^ SIGN);
}

/* Packets come back in order. */
static inline void check(const uint8_t *frame)
{
	if ((number_of(frame) ^ SIGN) != b.received)
		fail("a packet came back out of order, or not as the NF leaves it");
	b.received++;
}

/* In memory. */

static void fill_slots(void)
{
	const struct field_table *t = &b.hop.table;
	uint32_t words[BATCH], n = RTE_MIN(BATCH, b.free_count);
	uint64_t begin = rte_rdtsc();

	if (b.packets - b.sent < n)
		n = (uint32_t)(b.packets - b.sent);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = b.free[b.free_at++ & (b.hop.packets - 1)];
		uint8_t *record = hop_record(&b.hop, slot);
		write_number(hop_frame(&b.hop, slot), b.sent++);
		for (uint32_t f = 0; f < t->count; f++)
			field_write(record, (struct field_place){t->fields[f].offset, t->fields[f].bytes}, FRAME_BYTES);
		words[i] = hop_word(slot, HOP_HEADROOM);
	}
	b.free_count -= n;
	if (n != 0)
		hop_put(b.hop.filled, words, n);
	keep(&b.to, begin, n);
}

static void empty_slots(void)
{
	uint64_t begin = rte_rdtsc();
	uint32_t words[BATCH], n = hop_take(b.hop.done[0], words, BATCH);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = words[i] & HOP_WORD_SLOT;
		check(hop_frame(&b.hop, slot));
		b.free[(b.free_at + b.free_count++) & (b.hop.packets - 1)] = slot;
	}
	keep(&b.back, begin, n);
}

/* Not inlined: a profile of it has all work on packets, and no waiting. The words are taken before. */
__attribute__((noinline)) static void nf_turn(const uint32_t words[], uint32_t n)
{
	const struct field_table *t = &b.hop.table;
	struct field_place places[FIELDS_MAX];
	uint64_t sum = 0;

	for (uint32_t f = 0; f < t->count; f++)
		places[f] = (struct field_place){t->fields[f].offset, t->fields[f].bytes};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = words[i] & HOP_WORD_SLOT;
		uint8_t *record = hop_record(&b.hop, slot);
		for (uint32_t f = 0; f < t->count; f++)
			sum += field_read(record, places[f]);
		answer(hop_frame(&b.hop, slot));
		field_write(record, b.hop.fields.len, FRAME_BYTES);
	}
	hop_put(b.hop.done[0], words, n);
	b.sum += sum;
}

static bool work_on_slots(void)
{
	uint32_t words[BATCH];
	uint64_t begin = rte_rdtsc();
	bool over = atomic_load_explicit(&b.hop.header->over, memory_order_acquire) != 0;
	uint32_t n = hop_take(b.hop.filled, words, BATCH);

	if (n == 0)
		return !over;
	nf_turn(words, n);
	keep(&b.to, begin, n);
	b.received += n;
	return true;
}

/* By a device. */

static void fill_buffers(void)
{
	uint64_t begin = rte_rdtsc();

	if (b.kept_count == 0 && b.sent < b.packets) {
		uint32_t n = (uint32_t)RTE_MIN((uint64_t)BATCH, b.packets - b.sent);
		if (rte_pktmbuf_alloc_bulk(b.pool, b.kept, n) != 0)
			return;
		for (b.kept_count = 0; b.kept_count < n; b.kept_count++) {
			struct rte_mbuf *m = b.kept[b.kept_count];
			m->data_len = FRAME_BYTES;
			m->pkt_len = FRAME_BYTES;
			write_number(rte_pktmbuf_mtod(m, uint8_t *), b.sent++);
		}
	}
	uint32_t sent = rte_eth_tx_burst(b.device, 0, b.kept, (uint16_t)b.kept_count);
	b.kept_count -= sent;
	memmove(b.kept, b.kept + sent, b.kept_count * sizeof(b.kept[0]));
	keep(&b.to, begin, sent);
}

static void empty_buffers(void)
{
	struct rte_mbuf *mbufs[BATCH];
	uint64_t begin = rte_rdtsc();
	uint32_t n = rte_eth_rx_burst(b.device, 0, mbufs, BATCH);

	for (uint32_t i = 0; i < n; i++)
		check(rte_pktmbuf_mtod(mbufs[i], uint8_t *));
	if (n != 0)
		rte_pktmbuf_free_bulk(mbufs, n);
	keep(&b.back, begin, n);
}

static bool work_on_buffers(void)
{
	struct rte_mbuf *mbufs[BATCH];
	uint64_t begin = rte_rdtsc();
	uint32_t n = rte_eth_rx_burst(b.device, 0, mbufs, BATCH), sent = 0;

	if (n == 0)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		b.sum += mbufs[i]->pkt_len + mbufs[i]->port;
		answer(rte_pktmbuf_mtod(mbufs[i], uint8_t *));
	}
	while (sent < n && !stop_flag_is_set(&stop))
		sent += rte_eth_tx_burst(b.device, 0, mbufs + sent, (uint16_t)(n - sent));
	keep(&b.to, begin, n);
	b.received += n;
	return true;
}

/* One queue each way. */
static bool start_port(uint16_t port)
{
	const struct rte_eth_conf conf = {0};
	uint16_t receive = DESCRIPTORS, transmit = DESCRIPTORS;
	unsigned int socket = rte_socket_id();

	return rte_eth_dev_configure(port, 1, 1, &conf) == 0 &&
	       rte_eth_dev_adjust_nb_rx_tx_desc(port, &receive, &transmit) == 0 &&
	       rte_eth_rx_queue_setup(port, 0, receive, socket, NULL, b.pool) == 0 &&
	       rte_eth_tx_queue_setup(port, 0, transmit, socket, NULL) == 0 && rte_eth_dev_start(port) == 0;
}

static bool open_device(const struct hop_settings *s)
{
	if (s->side == HOP_SWITCH)
		return hop_device_listen(s, b.pool, &b.device);
	return hop_device_connect(s, &stop, &b.device) && start_port(b.device);
}

static void open_end(char **argv)
{
	struct hop_settings *s = &b.settings;

	s->buffers = find_buffers(argv[BUFFERS]);
	s->side = strcmp(argv[SIDE], "switch") == 0 ? HOP_SWITCH : HOP_NF;
	s->path = argv[PATH];
	s->packets = (uint32_t)strtoul(argv[SLOTS], NULL, 10);
	b.packets = strtoull(argv[PACKETS], NULL, 10);
	if (hop_has_port(s)) {
		b.pool = rte_pktmbuf_pool_create("packets", DEVICE_BUFFERS, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
						 (int)rte_socket_id());
		if (b.pool == NULL || !open_device(s))
			fail("no device");
		return;
	}
	if (s->side == HOP_SWITCH)
		read_fields(argv[FIELDS]);
	if (s->side == HOP_SWITCH ? !hop_create(&b.hop, s) : !hop_attach(&b.hop, s->path, &stop))
		fail("no memory");
	if (s->side == HOP_NF)
		atomic_store_explicit(&b.hop.header->attached, 1, memory_order_release);
	b.free_count = b.hop.packets - 1;
	for (uint32_t i = 0; i < b.hop.packets; i++)
		b.free[i] = i;
}

static bool is_met(void)
{
	if (hop_has_port(&b.settings))
		return hop_device_is_met(b.device);
	return atomic_load_explicit(&b.hop.header->attached, memory_order_acquire) != 0;
}

static void run_switch(void)
{
	bool device = hop_has_port(&b.settings);
	uint64_t begin = rte_rdtsc(), heard = begin, last = 0;

	while (!is_met())
		if (stop_flag_is_set(&stop) || rte_rdtsc() - begin > rte_get_tsc_hz() * PATIENCE_S)
			fail("the NF does not come");
	begin = rte_rdtsc();
	while (b.received < b.packets && !stop_flag_is_set(&stop)) {
		device ? fill_buffers() : fill_slots();
		device ? empty_buffers() : empty_slots();
		if (b.received != last) {
			last = b.received;
			heard = rte_rdtsc();
		} else if (rte_rdtsc() - heard > rte_get_tsc_hz() * PATIENCE_S) {
			fail("packets do not come back");
		}
	}
	b.ticks = rte_rdtsc() - begin;
	if (!device)
		atomic_store_explicit(&b.hop.header->over, 1, memory_order_release);
}

int main(int argc, char **argv)
{
	if (argc <= ARGUMENTS)
		fail("usage: hop_bench SIDE BUFFERS PATH SLOTS PACKETS FIELDS [EAL options]");
	char *own[ARGUMENTS];
	memcpy(own, argv + 1, sizeof(own));
	argv[ARGUMENTS] = argv[0];
	if (rte_eal_init(argc - ARGUMENTS, argv + ARGUMENTS) < 0)
		fail("EAL does not start");
	signal(SIGTERM, on_signal);
	open_end(own);
	if (b.settings.side == HOP_SWITCH)
		run_switch();
	else
		while (!stop_flag_is_set(&stop) && (hop_has_port(&b.settings) ? work_on_buffers() : work_on_slots()))
			;
	printf("{\"packets\":%" PRIu64 ",\"seconds\":%.6f,\"cycles\":%.2f,\"hz\":%" PRIu64 ",\"sum\":%" PRIu64 "}\n", b.received,
	       (double)b.ticks / (double)rte_get_tsc_hz(), middle(&b.to) + middle(&b.back), rte_get_tsc_hz(), b.sum);
	fflush(stdout); /* a driver whose other side has gone may not close */
	if (hop_has_port(&b.settings))
		hop_device_close(b.device, b.settings.side == HOP_SWITCH ? b.settings.path : NULL);
	else
		hop_close(&b.hop);
	return 0;
}
