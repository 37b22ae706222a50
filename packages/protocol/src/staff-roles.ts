/** The roles of staff; a test compares them with the database's (`staff_role`). */
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
