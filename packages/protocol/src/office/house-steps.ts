/** What a new house needs before customers come, in the order in which it is done. */
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
