/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PCAP_H
#define PCAP_H

#include "capture/capture_reader.h"

bool pcap_recognise(struct capture_reader *reader);
bool pcap_read(struct capture_reader *reader);

#endif
