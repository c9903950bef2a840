/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a URR has counted, for the control thread.
 */
#ifndef UPF_VOLUME_H
#define UPF_VOLUME_H

#include "session/upf_store.h"

static inline uint64_t upf_volume(const uint64_t bytes[UPF_DIRECTIONS], enum upf_volume volume)
{
	uint64_t up = bytes[UPF_UPLINK], down = bytes[UPF_DOWNLINK];

	return volume == UPF_VOLUME_UPLINK ? up : volume == UPF_VOLUME_DOWNLINK ? down : up + down;
}

static inline void upf_read_bytes(const struct upf_urr *u, uint64_t bytes[UPF_DIRECTIONS])
{
	for (uint32_t d = 0; d < UPF_DIRECTIONS; d++)
		bytes[d] = atomic_load_explicit(&u->bytes[d], memory_order_relaxed);
}

static inline uint64_t upf_counted(const struct upf_urr *u, enum upf_volume volume)
{
	uint64_t bytes[UPF_DIRECTIONS];

	upf_read_bytes(u, bytes);
	return upf_volume(bytes, volume);
}

/* A volume further on; one that no counter reaches stays one. */
static inline uint64_t upf_volume_end(uint64_t bytes, uint64_t volume)
{
	return volume > UPF_NO_VOLUME - bytes ? UPF_NO_VOLUME : bytes + volume;
}

#endif
