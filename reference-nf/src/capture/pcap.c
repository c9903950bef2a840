/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/pcap.h"
#include "capture/pcap_format.h"

bool pcap_recognise(struct capture_reader *r)
{
	r->swapped = false;
	uint32_t magic = r->bytes < PCAP_FILE_HEADER_BYTES ? 0 : capture_word(r, 0);
	r->swapped = magic == __builtin_bswap32(PCAP_MAGIC_US) || magic == __builtin_bswap32(PCAP_MAGIC_NS);
	return r->swapped || magic == PCAP_MAGIC_US || magic == PCAP_MAGIC_NS;
}

bool pcap_read(struct capture_reader *r)
{
	/* the upper 16 bits give the length of a frame check sequence, which is not removed */
	uint32_t link_type = capture_word(r, 20) & 0xffff;
	size_t at = PCAP_FILE_HEADER_BYTES;

	while (at < r->bytes) {
		if (r->bytes - at < PCAP_RECORD_HEADER_BYTES)
			return r->sink->refuse(r, " ends within frame %u", r->number + 1);
		struct capture_record record = {
			.link_type = link_type,
			.captured = capture_word(r, at + 8),
			.original = capture_word(r, at + 12),
			.data = r->data + at + PCAP_RECORD_HEADER_BYTES,
		};
		at += PCAP_RECORD_HEADER_BYTES;
		if (record.captured > r->bytes - at)
			return r->sink->refuse(r, " ends within frame %u", r->number + 1);
		at += record.captured;
		if (!r->sink->add(r, &record))
			return false;
	}
	return true;
}
