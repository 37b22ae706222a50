import type * as z from 'zod';
import { bankFileOperations } from './bank-files.ts';
import { catalogueOperations } from './catalogue.ts';
import { customerOperations } from './customers.ts';
import { dashboardOperations } from './dashboard.ts';
import { earningOperations } from './earnings.ts';
import { flagOperations } from './flag-rules.ts';
import { identityOperations } from './identities.ts';
import { newsOperations } from './news.ts';
import type { OfficeOperation } from './operation.ts';
import { orderCaseOperations } from './order-case.ts';
import { payoutOperations } from './payouts.ts';
import { recoveryOperations } from './recoveries.ts';
import { reportOperations } from './reports.ts';
import { requestOperations } from './requests.ts';
import { restrictionOperations } from './restrictions.ts';
import { screeningOperations } from './screening.ts';
import { sourceOperations } from './sources.ts';
import { staffOperations } from './staff.ts';
import { supportOperations } from './support.ts';
import { treasuryOperations } from './treasury.ts';

/** All operations of the back office, by path below `/api/`. Each area has its own file in this folder. */
export const officeOperations = {
  ...staffOperations,
  ...identityOperations,
  ...flagOperations,
  ...screeningOperations,
  ...customerOperations,
  ...orderCaseOperations,
  ...requestOperations,
  ...payoutOperations,
  ...catalogueOperations,
  ...dashboardOperations,
  ...reportOperations,
  ...sourceOperations,
  ...treasuryOperations,
  ...bankFileOperations,
  ...newsOperations,
  ...earningOperations,
  ...supportOperations,
  ...recoveryOperations,
  ...restrictionOperations,
} satisfies Record<string, OfficeOperation>;

export type OfficeOperations = typeof officeOperations;
export type OfficePath = keyof OfficeOperations;
/** The checked fields of a request; its language is known apart. */
export type OfficeInput<P extends OfficePath> = Omit<z.infer<OfficeOperations[P]['input']>, 'lang'>;
export type OfficeData<P extends OfficePath> = z.infer<OfficeOperations[P]['data']>;
