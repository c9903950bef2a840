// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";

/** What to do where nothing was measured yet. */
export const FirstStepsLink = ({ project }: { project: string }) => (
  <Link to="/p/$project/start" params={{ project }}>
    Setup steps
  </Link>
);
