/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_errno.h>
#include <rte_mbuf_core.h>

#include "hop/hop.h"

#define MAGIC UINT64_C(0x31706f686d6c616e) /* nalmhop1 */
#define WAIT_NS 2000000L

/* Places in the memory, in bytes from its beginning; both processes compute them from the header. */
struct layout {
	size_t filled, dropped, done[HOP_QUEUES], records, frames, bytes;
	uint32_t record_stride, slot_stride, packets;
};

static size_t lines(size_t bytes)
{
	return RTE_ALIGN_CEIL(bytes, (size_t)RTE_CACHE_LINE_SIZE);
}

static size_t add(struct layout *l, size_t bytes)
{
	size_t at = l->bytes;

	l->bytes += lines(bytes);
	return at;
}

/* A slot has an odd number of cache lines, so that the first lines of frames use every set of a cache. */
static void lay_out(struct layout *l, enum hop_buffers buffers, uint32_t packets, const struct field_table *fields)
{
	size_t ring = (size_t)rte_ring_get_memsize_elem(sizeof(uint32_t), packets);
	bool apart = buffers == HOP_FDT_AGGREGATED;
	size_t before = apart ? 0 : lines(fields->stride); /* the record's lines in its slot */

	*l = (struct layout){.bytes = lines(sizeof(struct hop_header)), .packets = packets};
	l->filled = add(l, ring);
	l->dropped = add(l, ring);
	for (uint32_t i = 0; i < HOP_QUEUES; i++)
		l->done[i] = add(l, ring);
	l->slot_stride =
		(uint32_t)((before + HOP_HEADROOM + HOP_FRAME_BYTES) / RTE_CACHE_LINE_SIZE | 1) * RTE_CACHE_LINE_SIZE;
	l->record_stride = apart ? fields->stride : l->slot_stride;
	l->records = add(l, apart ? (size_t)packets * fields->stride : 0);
	l->frames = add(l, (size_t)packets * l->slot_stride);
	if (!apart)
		l->records = l->frames; /* a slot begins with its record */
	l->frames += before + HOP_HEADROOM;
}

static void look(struct hop *h, const struct layout *l, const struct field_table *fields)
{
	uint8_t *base = (uint8_t *)h->header;

	h->packets = l->packets; /* as checked: the other process may write the header's */
	h->table = *fields;
	h->fields = (struct hop_fields){
		.len = field_table_find(fields, "len"),
		.port = field_table_find(fields, "port"),
		.hash = field_table_find(fields, "hash"),
		.packet_type = field_table_find(fields, "packet_type"),
		.ol_flags = field_table_find(fields, "ol_flags"),
		.vlan_tci = field_table_find(fields, "vlan_tci"),
		.tx_offload = field_table_find(fields, "tx_offload"),
	};
	h->filled = (struct rte_ring *)(base + l->filled);
	h->dropped = (struct rte_ring *)(base + l->dropped);
	for (uint32_t i = 0; i < HOP_QUEUES; i++)
		h->done[i] = (struct rte_ring *)(base + l->done[i]);
	h->records = base + l->records;
	h->frames = base + l->frames;
	h->record_stride = l->record_stride;
	h->slot_stride = l->slot_stride;
}

static bool refuse(const char *path, const char *what, int error)
{
	fprintf(stderr, "hop: %s: %s%s%s\n", path == NULL ? "memory" : path, what, error == 0 ? "" : ": ",
		error == 0 ? "" : strerror(error));
	return false;
}

/* A file is made under another name first: who waits for it never sees a part of it. */
static int make_file(const char *path, size_t bytes)
{
	int file = path == NULL ? memfd_create("nalm-hop", MFD_CLOEXEC)
				: open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);

	if (file >= 0 && ftruncate(file, (off_t)bytes) != 0) {
		close(file);
		return -1;
	}
	return file;
}

static bool map(struct hop *h, int file, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);

	h->header = at == MAP_FAILED ? NULL : at;
	h->bytes = bytes;
	return h->header != NULL;
}

static bool make_rings(struct hop *h)
{
	const unsigned int one = RING_F_SP_ENQ | RING_F_SC_DEQ, places = h->packets;
	bool ok = rte_ring_init(h->filled, "filled", places, one) == 0 &&
		  rte_ring_init(h->dropped, "dropped", places, RING_F_SC_DEQ) == 0;

	for (uint32_t i = 0; i < HOP_QUEUES; i++)
		ok = ok && rte_ring_init(h->done[i], "done", places, one) == 0;
	return ok;
}

bool hop_create(struct hop *h, const struct hop_settings *s)
{
	char *name = NULL;
	struct layout l;

	*h = (struct hop){0};
	lay_out(&l, s->buffers, s->packets, &s->fields);
	if (s->path != NULL && asprintf(&name, "%s.%d", s->path, (int)getpid()) < 0)
		return refuse(s->path, "no memory", 0);
	int file = make_file(name, l.bytes);
	bool ok = file >= 0 && map(h, file, l.bytes);
	int error = errno;
	if (file >= 0)
		close(file);
	if (ok) {
		h->header->magic = MAGIC;
		h->header->bytes = l.bytes;
		h->header->buffers = s->buffers;
		h->header->packets = s->packets;
		h->header->fields = s->fields;
		look(h, &l, &s->fields);
		ok = make_rings(h);
		atomic_store_explicit(&h->header->ready, 1, memory_order_release); /* (M) */
	}
	if (ok && name != NULL) {
		h->path = strdup(s->path);
		ok = h->path != NULL && rename(name, s->path) == 0;
		error = errno;
	}
	if (!ok && name != NULL)
		(void)unlink(name);
	free(name);
	if (!ok)
		hop_close(h);
	return ok || refuse(s->path, "cannot make shared memory", error);
}

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

/* -1: not yet there. */
static int open_when_there(const char *path, const struct stop_flag *stop)
{
	int file;

	while ((file = open(path, O_RDWR | O_CLOEXEC)) < 0 && errno == ENOENT && !stop_flag_is_set(stop))
		wait_a_little();
	return file;
}

/* Whether this build lays the memory out as the process that made it did. Works on copies: the other may write. */
static bool is_sound(const struct hop_header *header, size_t bytes, struct field_table *fields, struct layout *l)
{
	uint32_t packets = header->packets, buffers = header->buffers;

	*fields = header->fields;
	if (header->magic != MAGIC || header->bytes != bytes || buffers < HOP_MBUF || buffers > HOP_FDT_AGGREGATED ||
	    packets == 0 || packets > HOP_WORD_SLOT || !rte_is_power_of_2(packets) ||
	    !field_table_is_sound(fields, buffers == HOP_MBUF ? sizeof(struct rte_mbuf) : FIELDS_MAX_BYTES))
		return false;
	lay_out(l, buffers, packets, fields);
	return l->bytes == bytes;
}

bool hop_attach(struct hop *h, const char *path, const struct stop_flag *stop)
{
	struct field_table fields;
	struct stat about;
	struct layout l;

	*h = (struct hop){0};
	int file = open_when_there(path, stop);
	if (file < 0)
		return refuse(path, "cannot open the hop's memory", errno);
	bool ok = fstat(file, &about) == 0 && map(h, file, (size_t)about.st_size);
	int error = errno;
	close(file);
	if (!ok)
		return refuse(path, "cannot map the hop's memory", error);
	if (h->bytes < sizeof(struct hop_header) ||
	    atomic_load_explicit(&h->header->ready, memory_order_acquire) != 1 || /* pairs with (M) */
	    !is_sound(h->header, h->bytes, &fields, &l)) {
		hop_close(h);
		return refuse(path, "is not the memory of a hop, or of another version of this program", 0);
	}
	look(h, &l, &fields);
	return true;
}

void hop_close(struct hop *h)
{
	if (h->header != NULL)
		munmap(h->header, h->bytes);
	if (h->path != NULL)
		(void)unlink(h->path);
	free(h->path);
	*h = (struct hop){0};
}
