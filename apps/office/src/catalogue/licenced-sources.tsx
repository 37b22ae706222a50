import { useText } from '../messages/text-context.tsx';
import { listed } from '../state/format.ts';
import type { Rules } from './queries.ts';

/** The sources of the rules, each with its licence class. */
export function LicencedSources({ rules }: { rules: Rules }) {
  const { t, word, tag } = useText();
  const named = rules.sources.map((source) => {
    const licence = rules.licences[source];
    return licence === undefined
      ? source
      : t('catalogue.licenced', { source, licence: word('licence', licence) });
  });
  return listed(named, tag);
}
