// SPDX-License-Identifier: Apache-2.0
/** Words that explain themselves on hover, focus or tap. */
import { Popover } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { catalogueQuery } from "../api/queries";
import type { Metric } from "../api/types";
import { sourceWords } from "../logic/text/sources";

interface HelpProps {
  /** What is pressed. */
  children: ReactNode;
  /** What appears. */
  text: ReactNode;
  className?: string;
}

/** Opens on hover and on press; Escape closes. */
export function Help({ children, text, className = "help-word" }: HelpProps) {
  const [pressed, setPressed] = useState(false);
  const [hovered, setHovered] = useState(false);
  const opened = pressed || hovered;
  useEffect(() => {
    if (!opened) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      setPressed(false);
      setHovered(false);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [opened]);
  return (
    <Popover
      opened={opened}
      onChange={setPressed}
      position="bottom-start"
      width={320}
      shadow="md"
      withinPortal
      trapFocus={false}
    >
      <Popover.Target>
        <button
          type="button"
          className={className}
          onClick={() => setPressed((was) => !was)}
          onBlur={() => setPressed(false)}
          onMouseEnter={() => setHovered(true)}
          onMouseLeave={() => setHovered(false)}
        >
          {children}
        </button>
      </Popover.Target>
      <Popover.Dropdown
        style={{ fontSize: "0.84rem", whiteSpace: "normal", textAlign: "left", fontWeight: 400 }}
      >
        {text}
      </Popover.Dropdown>
    </Popover>
  );
}

const DIRECTION: Record<Metric["better"], string> = {
  lower: "Lower is better.",
  higher: "Higher is better.",
  neither: "Neither high nor low is better by itself.",
};

export function MetricText({ metric }: { metric: Metric }) {
  return (
    <>
      {metric.sentence} {DIRECTION[metric.better]}
      <div className="soft" style={{ marginTop: 6 }}>
        {metric.title} = {metric.formula}
        <br />
        Unit: {metric.unit === "1" ? "none" : metric.unit}. Counted by:{" "}
        {metric.sources.map(sourceWords).join(" or ")}.
      </div>
    </>
  );
}

/** The name of a metric with its explanation from the server's catalogue; the plain name until that is there. */
export function MetricName({ name }: { name: string }) {
  const { data } = useQuery(catalogueQuery());
  const metric = data?.find((item) => item.name === name);
  if (metric === undefined) return <>{name}</>;
  return <Help text={<MetricText metric={metric} />}>{metric.title}</Help>;
}
