/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a UDP payload, in memory of exactly its size. What is found out about its GTP-U header lies within it.
 */
#include "check.h"
#include "upf/gtpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *message = malloc(size); /* libFuzzer's own copy may lie within a larger piece of memory */
	struct gtpu g;

	CHECK(message != NULL || size == 0);
	if (size != 0)
		memcpy(message, data, size);
	if (gtpu_parse(message, (uint32_t)size, &g) == GTPU_SOUND) {
		CHECK(g.payload >= GTPU_BYTES && (size_t)g.payload + g.payload_bytes <= size);
		CHECK_EQUAL(g.payload % 4, 0);
		CHECK_EQUAL((uint32_t)g.payload + g.payload_bytes, GTPU_BYTES + load_be16(message + 2));
		CHECK(g.qfi <= GTPU_QFI_MASK);
		CHECK((message[0] & GTPU_HAS_SEQUENCE) != 0 || g.sequence == 0);
	}
	free(message);
	return 0;
}
