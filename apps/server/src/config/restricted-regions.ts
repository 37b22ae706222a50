/** The European Economic Area. */
const EEA = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
  ' ',
);

/** Contracts of this kind may not be offered to retail customers there. A warning in demo mode, enforced in live mode. */
export const RESTRICTED_REGIONS: readonly string[] = ['US', 'CA', 'GB', ...EEA, 'IL', 'AU', 'JP', 'CN', 'HK'];
