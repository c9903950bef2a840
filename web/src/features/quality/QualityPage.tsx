// SPDX-License-Identifier: Apache-2.0
/** How well the service judges this project: counted from trials whose truth is known and from its findings. */
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Failed, Loading } from "../../shared/ui/States";
import { qualityQuery } from "./api";
import { CalibrationPanel } from "./CalibrationPanel";
import { DelayPanel } from "./DelayPanel";
import { DetectionPanel } from "./DetectionPanel";
import { FalseAlarmPanel } from "./FalseAlarmPanel";
import { FindingsPanel } from "./FindingsPanel";
import { MonthTable } from "./MonthTable";
import { SPANS } from "./search";

const route = getRouteApi("/p/$project/detection-quality");
const USUAL_SPAN = "90";

export function QualityPage() {
  const { project } = route.useParams();
  const { days = USUAL_SPAN } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/detection-quality" });
  const { data: quality, error, refetch, isPlaceholderData } = useQuery(qualityQuery(project, Number(days)));
  useTitle("Quality", project);
  return (
    <>
      <PageHead
        title="Detection quality"
        under="From trials with a known result and from the outcome of alerts. What was not tried is not claimed."
      >
        <span role="status" className="soft">
          {isPlaceholderData && "Reading…"}
        </span>
        <SegmentedControl
          aria-label="Trials of the last"
          size="xs"
          data={SPANS.map((span) => ({ value: span, label: `${span} days` }))}
          value={days}
          onChange={(value) => {
            const chosen = SPANS.find((span) => span === value && span !== USUAL_SPAN);
            navigate({ search: { days: chosen }, replace: true });
          }}
        />
      </PageHead>
      {quality === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
      {quality && (
        <div aria-busy={isPlaceholderData}>
          <DetectionPanel project={project} of={quality.detection} />
          <FalseAlarmPanel project={project} of={quality} />
          <DelayPanel project={project} of={quality.delay} />
          <FindingsPanel project={project} of={quality} />
          <CalibrationPanel project={project} of={quality.calibration} />
          <MonthTable project={project} months={quality.months} />
        </div>
      )}
    </>
  );
}
