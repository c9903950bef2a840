/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RTC_H
#define RTC_H

#include "model/plan.h"

bool rtc_plan(struct plan *plan);

#endif
