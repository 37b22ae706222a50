/** The roles of staff; the database holds the same list. */
export const STAFF_ROLES = [
  'support',
  'verification',
  'cashier',
  'approver',
  'content',
  'catalogue',
  'auditor',
  'administrator',
] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];
