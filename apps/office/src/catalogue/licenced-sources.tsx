import { useText } from '../messages/text-context.tsx';
import type { Rules } from './queries.ts';

/** The sources of the rules, each with its licence class. */
export function LicencedSources({ rules }: { rules: Rules }) {
  const { word } = useText();
  const named = rules.sources.map((source) => {
    const licence = rules.licences[source];
    return licence === undefined ? source : `${source} (${word('licence', licence)})`;
  });
  return named.join(', ');
}
