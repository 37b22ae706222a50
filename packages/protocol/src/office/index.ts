export type { catalogueOperations } from './catalogue.ts';
export type { customerOperations } from './customers.ts';
export type { identityOperations } from './identities.ts';
export * from './operation.ts';
export * from './operations.ts';
export type { requestOperations } from './requests.ts';
export * from './roles.ts';
export type { staffOperations } from './staff.ts';
export type { treasuryOperations } from './treasury.ts';
