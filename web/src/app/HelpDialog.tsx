// SPDX-License-Identifier: Apache-2.0
import { Kbd, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { catalogueQuery } from "../shared/api/queries";
import { KEYS } from "../shared/logic/keyboard";
import { DISPLAYS, displayInfo } from "../shared/logic/run/verdict";
import { MetricText } from "../shared/ui/Help";
import { VerdictWord } from "../shared/ui/run/VerdictBadge";

/** Keys, verdicts and metrics in one place. */
export function HelpDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { data: metrics } = useQuery(catalogueQuery());
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title="Help"
      closeButtonProps={{ "aria-label": "Close" }}
      attributes={{ header: { role: "presentation" } }}
    >
      <h3>Keys</h3>
      <dl className="help-list">
        {KEYS.map(({ keys, does }) => (
          <div key={does} style={{ display: "contents" }}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key} mr={4}>
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <h3>Verdicts</h3>
      <dl className="help-list">
        {DISPLAYS.map((display) => (
          <div key={display} style={{ display: "contents" }}>
            <dt>
              <VerdictWord display={display} />
            </dt>
            <dd>{displayInfo(display).explanation}</dd>
          </div>
        ))}
      </dl>
      <h3>Metrics</h3>
      <dl className="help-list">
        {(metrics ?? []).map((metric) => (
          <div key={metric.name} style={{ display: "contents" }}>
            <dt>
              <strong>{metric.title}</strong>
            </dt>
            <dd>
              <MetricText metric={metric} />
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
