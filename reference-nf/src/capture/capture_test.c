/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "check.h"
#include "capture/capture.h"

#define ETHERNET 1u
#define RAW_IP 101u

/* A file to write, in either byte order. */
struct file {
	uint8_t data[4096];
	uint32_t bytes;
	bool big;
};

static void put(struct file *f, uint64_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		f->data[f->bytes++] = (uint8_t)(value >> 8 * (f->big ? bytes - 1 - i : i));
}

static void put_frame(struct file *f, uint32_t bytes, uint8_t filler)
{
	memset(f->data + f->bytes, filler, bytes);
	f->bytes += bytes;
}

static void pcap_header(struct file *f, uint32_t magic, uint32_t link_type)
{
	put(f, magic, 4);
	put(f, 2, 2);
	put(f, 4, 2);
	put(f, 0, 8);
	put(f, 65535, 4);
	put(f, link_type, 4);
}

static void pcap_frame(struct file *f, uint32_t captured, uint32_t original, uint8_t filler)
{
	put(f, 0, 8);
	put(f, captured, 4);
	put(f, original, 4);
	put_frame(f, captured, filler);
}

static void block(struct file *f, uint32_t type, const struct file *body)
{
	uint32_t padded = (body->bytes + 3) & ~3u;

	put(f, type, 4);
	put(f, padded + 12, 4);
	memcpy(f->data + f->bytes, body->data, body->bytes);
	f->bytes += padded;
	put(f, padded + 12, 4);
}

static void section(struct file *f)
{
	struct file body = {.big = f->big};
	put(&body, 0x1a2b3c4d, 4);
	put(&body, 1, 2);
	put(&body, 0, 2);
	put(&body, UINT64_MAX, 8);
	block(f, 0x0a0d0d0a, &body);
}

static void interface(struct file *f, uint32_t link_type, uint32_t snap_bytes)
{
	struct file body = {.big = f->big};
	put(&body, link_type, 2);
	put(&body, 0, 2);
	put(&body, snap_bytes, 4);
	block(f, 1, &body);
}

static void enhanced(struct file *f, uint32_t number, uint32_t captured, uint32_t original, uint8_t filler)
{
	struct file body = {.big = f->big};
	put(&body, number, 4);
	put(&body, 0, 8);
	put(&body, captured, 4);
	put(&body, original, 4);
	put_frame(&body, captured, filler);
	block(f, 6, &body);
}

static void simple(struct file *f, uint32_t captured, uint32_t original, uint8_t filler)
{
	struct file body = {.big = f->big};
	put(&body, original, 4);
	put_frame(&body, captured, filler);
	block(f, 3, &body);
}

static char reason[512];

static bool load(struct capture *c, const struct file *f, enum capture_unfit unfit)
{
	char path[] = "/tmp/nalm-capture-XXXXXX";
	const struct capture_terms terms = {.max_frame_bytes = 1000, .unfit = unfit};
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, f->data, f->bytes) == (ssize_t)f->bytes && close(fd) == 0);
	bool ok = capture_load(c, path, &terms, reason, sizeof(reason));
	unlink(path);
	CHECK(ok || c->frames == NULL);
	return ok;
}

static void check_refused(const struct file *f, const char *why)
{
	struct capture c;
	CHECK(!load(&c, f, UNFIT_REFUSE));
	if (strstr(reason, why) == NULL)
		fprintf(stderr, "%s\n", reason);
	CHECK(strstr(reason, why) != NULL);
}

static void check_frames(const struct file *f, uint32_t count, const uint32_t bytes[], const uint8_t fillers[])
{
	struct capture c;
	CHECK(load(&c, f, UNFIT_REFUSE));
	CHECK_EQUAL(c.count, count);
	for (uint32_t i = 0; i < count; i++) {
		CHECK_EQUAL(c.frames[i].bytes, bytes[i]);
		for (uint32_t at = 0; at < bytes[i]; at++)
			CHECK_EQUAL(c.frames[i].data[at], fillers[i]);
	}
	capture_free(&c);
}

static void reads_pcap(void)
{
	const uint32_t magics[] = {0xa1b2c3d4, 0xa1b23c4d};
	for (uint32_t i = 0; i < 4; i++) {
		struct file f = {.big = i >= 2};
		pcap_header(&f, magics[i % 2], ETHERNET);
		pcap_frame(&f, 60, 60, 'a');
		pcap_frame(&f, 0, 0, 0);
		pcap_frame(&f, 1000, 1000, 'b');
		check_frames(&f, 3, (uint32_t[]){60, 0, 1000}, (uint8_t[]){'a', 0, 'b'});
	}
}

static void reads_pcapng(void)
{
	for (uint32_t big = 0; big < 2; big++) {
		struct file f = {.big = big};
		const struct file comment = {.data = "any", .bytes = 3};
		section(&f);
		interface(&f, ETHERNET, 100);
		block(&f, 0xbad, &comment);
		enhanced(&f, 0, 61, 61, 'a');
		simple(&f, 62, 62, 'b');
		f.big = !big; /* a section in the other order */
		section(&f);
		interface(&f, RAW_IP, 0);
		interface(&f, ETHERNET, 0);
		enhanced(&f, 1, 63, 63, 'c');
		check_frames(&f, 3, (uint32_t[]){61, 62, 63}, (uint8_t[]){'a', 'b', 'c'});
	}
}

static void names_what_cannot_be_sent(void)
{
	struct file cut = {0}, cut_simple = {0}, large = {0}, raw = {0}, raw_pcapng = {0}, none = {0};

	pcap_header(&cut, 0xa1b2c3d4, ETHERNET);
	pcap_frame(&cut, 60, 60, 0);
	pcap_frame(&cut, 96, 1500, 0);
	check_refused(&cut, ": frame 2 was cut to 96 of 1500 bytes when it was captured");
	section(&cut_simple);
	interface(&cut_simple, ETHERNET, 96);
	simple(&cut_simple, 96, 1500, 0);
	check_refused(&cut_simple, ": frame 1 was cut to 96 of 1500 bytes");
	pcap_header(&large, 0xa1b2c3d4, ETHERNET);
	pcap_frame(&large, 1001, 1001, 0);
	check_refused(&large, ": frame 1 has 1001 bytes, but a packet buffer holds 1000");
	pcap_header(&raw, 0xa1b2c3d4, RAW_IP);
	pcap_frame(&raw, 60, 60, 0);
	check_refused(&raw, ": frame 1 has link type 101, expected Ethernet (1)");
	section(&raw_pcapng);
	interface(&raw_pcapng, ETHERNET, 0);
	interface(&raw_pcapng, RAW_IP, 0);
	enhanced(&raw_pcapng, 1, 60, 60, 0);
	check_refused(&raw_pcapng, ": frame 1 has link type 101");
	pcap_header(&none, 0xa1b2c3d4, ETHERNET);
	check_refused(&none, " has no frame");
	put_frame(&none, 3, 'x');
	check_refused(&none, " ends within frame 1");
	check_refused(&(struct file){.data = "\x1f\x8b", .bytes = 40}, "is not a pcap or pcapng file");
}

static void skips_what_cannot_be_sent(void)
{
	struct file f = {0};
	struct capture c;

	pcap_header(&f, 0xa1b2c3d4, ETHERNET);
	pcap_frame(&f, 96, 1500, 0);
	CHECK(!load(&c, &f, UNFIT_SKIP));
	CHECK(strstr(reason, "has no frame that could be sent") != NULL);
	pcap_frame(&f, 60, 60, 0);
	pcap_frame(&f, 1001, 1001, 0);
	CHECK(load(&c, &f, UNFIT_SKIP));
	CHECK_EQUAL(c.count, 1);
	CHECK_EQUAL(c.skipped, 2);
	capture_free(&c);
}

/* Every prefix of a file, and every byte of it changed: refused or read, within its bounds (ASan checks). */
static void survives_damage(const struct file *whole)
{
	struct capture c;

	for (uint32_t bytes = 0; bytes < whole->bytes; bytes++) {
		struct file f = *whole;
		f.bytes = bytes;
		if (load(&c, &f, UNFIT_SKIP))
			capture_free(&c);
		f.bytes = whole->bytes;
		for (uint32_t with = 1; with < 256; with += 127) {
			f.data[bytes] = (uint8_t)(whole->data[bytes] ^ with);
			if (load(&c, &f, UNFIT_SKIP))
				capture_free(&c);
		}
	}
}

static void survives_damaged_files(void)
{
	struct file pcap = {0}, pcapng = {0};

	pcap_header(&pcap, 0xa1b2c3d4, ETHERNET);
	pcap_frame(&pcap, 60, 60, 'a');
	pcap_frame(&pcap, 61, 61, 'b');
	survives_damage(&pcap);
	section(&pcapng);
	interface(&pcapng, ETHERNET, 0);
	enhanced(&pcapng, 0, 61, 61, 'a');
	simple(&pcapng, 62, 62, 'b');
	survives_damage(&pcapng);
}

int main(void)
{
	RUN(reads_pcap);
	RUN(reads_pcapng);
	RUN(names_what_cannot_be_sent);
	RUN(skips_what_cannot_be_sent);
	RUN(survives_damaged_files);
	return 0;
}
