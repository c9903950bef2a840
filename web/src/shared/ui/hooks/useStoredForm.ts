// SPDX-License-Identifier: Apache-2.0
import { useForm } from "@mantine/form";
import { hashKey } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

const same = (one: unknown, other: unknown): boolean => hashKey([one]) === hashKey([other]);

/**
 * A form of values that the server stores, and that others may change while it is open. Fields that the person has not
 * changed follow the server.
 */
export function useStoredForm<T extends Record<string, unknown>>(stored: T) {
  const form = useForm<T>({ initialValues: stored });
  /** What the fields followed last: of the server, or sent to it. */
  const followed = useRef(stored);
  const [sent, setSent] = useState<T | null>(null);
  const [theirs, setTheirs] = useState<readonly string[]>([]);
  const values = form.values;
  const differing = Object.keys(stored).filter((field) => !same(values[field], stored[field]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of what is stored counts
  useEffect(() => {
    const before = followed.current;
    followed.current = stored;
    const moved = Object.keys(stored).filter((field) => !same(before[field], stored[field]));
    const kept = moved.filter((field) => !same(values[field], before[field]));
    const renewed = moved.filter((field) => !kept.includes(field)).map((field) => [field, stored[field]]);
    if (renewed.length > 0) form.setValues(Object.fromEntries(renewed));
    setTheirs((earlier) => [...new Set([...earlier, ...kept])]);
  }, [hashKey([stored])]);
  return {
    form,
    /** Values that are neither stored nor sent. */
    changed: Object.fromEntries(
      differing.filter((field) => !same(values[field], sent?.[field])).map((field) => [field, values[field]]),
    ) as Partial<T>,
    /** Somebody else stored another value in a field that the person has changed. */
    overtaken: differing.some((field) => theirs.includes(field)),
    /** To be called when the server has taken the values. */
    onSent: (): void => {
      followed.current = values;
      setSent(values);
      setTheirs([]);
    },
  };
}
