/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PCAPNG_H
#define PCAPNG_H

#include "capture/capture_reader.h"

bool pcapng_recognise(const struct capture_reader *reader);
bool pcapng_read(struct capture_reader *reader);

#endif
