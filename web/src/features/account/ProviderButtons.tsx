// SPDX-License-Identifier: Apache-2.0
import { Button, Divider } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { providerPath, providersQuery } from "../../shared/api/session";
import { ActionError } from "../../shared/ui/ActionError";

/** Forges and others that people sign in by, as far as the operator set some up. */
export function ProviderButtons({ to }: { to: string }) {
  const { data: providers = [], error } = useQuery(providersQuery());
  if (providers.length === 0) return <ActionError error={error} />;
  return (
    <>
      <Divider label="or" />
      {providers.map((one) => (
        <Button key={one.name} component="a" variant="default" href={providerPath(one.name, to)}>
          Sign in with {one.label}
        </Button>
      ))}
    </>
  );
}
