/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a capture file. Checks that its frames are within it and fit into a packet buffer, or that there is a reason;
 * and that fields that the generator would rewrite are within the frames.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "capture/capture.h"
#include "traffic/flows.h"
#include "io/io.h"

static int file; /* in memory */
static char path[32];

static void check_frames(const struct capture *c, size_t size, enum capture_unfit unfit)
{
	CHECK(c->count != 0);
	CHECK(unfit == UNFIT_SKIP || c->skipped == 0);
	for (uint32_t i = 0; i < c->count; i++) {
		const struct capture_frame *f = &c->frames[i];
		CHECK(f->bytes <= IO_MAX_FRAME_BYTES);
		CHECK(f->data >= c->file && f->data + f->bytes <= c->file + size);
		CHECK(i == 0 || f->data >= c->frames[i - 1].data + c->frames[i - 1].bytes);
	}
}

static void check_flows(const struct capture *c)
{
	const struct traffic_settings settings = {
		.profile = PROFILE_CAPTURE,
		.inside = {UINT32_C(0x0a000000), 8},
		.clients = {UINT32_C(0x0a000000), 8},
		.captures = {*c},
		.copies = 2,
	};
	struct flows flows;

	CHECK(flows_create(&flows, &settings));
	CHECK_EQUAL(flows.image_count, c->count);
	for (uint32_t i = 0; i < flows.image_count; i++) {
		const struct image *image = &flows.images[i];
		uint32_t header = image->protocol == IPPROTO_TCP ? TCP_MIN_BYTES : UDP_BYTES; /* ICMP's too */
		CHECK(image->direction == IMAGE_PLAIN || image->l4 + header <= image->bytes);
		CHECK(image->direction == IMAGE_PLAIN || image->endpoint < flows.endpoint_count);
	}
	flows_destroy(&flows);
}

static uint32_t load(size_t size, enum capture_unfit unfit)
{
	const struct capture_terms terms = {.max_frame_bytes = IO_MAX_FRAME_BYTES, .unfit = unfit};
	struct capture capture;
	char reason[256] = "";

	if (!capture_load(&capture, path, &terms, reason, sizeof(reason))) {
		CHECK(reason[0] != '\0');
		CHECK(capture.file == NULL && capture.frames == NULL);
		return 0;
	}
	uint32_t count = capture.count;
	check_frames(&capture, size, unfit);
	check_flows(&capture);
	capture_free(&capture);
	return count;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	file = memfd_create("capture", 0);
	CHECK(file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CHECK(ftruncate(file, 0) == 0);
	CHECK(pwrite(file, data, size, 0) == (ssize_t)size);
	uint32_t strictly = load(size, UNFIT_REFUSE), leniently = load(size, UNFIT_SKIP);
	CHECK(strictly == 0 || strictly == leniently);
	return 0;
}
