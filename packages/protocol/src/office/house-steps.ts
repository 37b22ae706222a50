/** The steps to a new house before customers come, in their order. */
export const HOUSE_STEPS = [
  'administrators',
  'staff',
  'channels',
  'limits',
  'rates',
  'rules',
  'sources',
  'funds',
  'alerts',
  'backups',
  'witnesses',
] as const;
export type HouseStep = (typeof HOUSE_STEPS)[number];
