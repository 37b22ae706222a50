import * as z from 'zod';
import { page } from '../answers.ts';
import type { AnyErrorCode } from '../errors.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { type OfficeAccess, officeGet, officePost } from './operation.ts';

/** What the declarations of several areas share. */

/** Unix milliseconds. */
export const ms = z.int();
export const decimal = z.string();
/** A member of staff. */
export const who = z.object({ id: z.string(), name: z.string() });
/** Who works on a case now, and until when. */
export const claim = z.object({ by: who, isMine: z.boolean(), until: ms }).nullable();
/** The other record that something made. */
export const made = z.object({ id: z.string() });
/** What every proposal says beside its content. */
export const proposal = {
  id: z.string(),
  status: z.enum(statusesOf('proposal')),
  proposedBy: who,
  proposedAt: ms,
  decidedBy: who.nullable(),
  decidedAt: ms.nullable(),
};

export const PROVED = { needsProof: true } as const;
export const request = { id: fields.idOf('REQUEST_NOT_FOUND') };
/** The hash of what its reader was shown. */
export const content = fields.hex64.meta({ description: 'What was shown: the content of the case.' });
/** Filter of a queue: what waits, or what is decided. */
export const queue = { state: fields.choice(['open', 'decided']).optional(), ...fields.paged };

/** Lists records by pages. */
export const pages = <D extends z.ZodType, I extends z.ZodRawShape = Record<never, never>>(
  roles: OfficeAccess,
  item: D,
  summary: string,
  filter = {} as I,
) => officeGet(roles, { ...filter, ...fields.paged }, page(item), { summary });

export const DECISION_ERRORS = ['REQUEST_CLOSED', 'OWN_EDIT', 'APPROVER_TOO_NEW'] as const;

/** Approves a proposal, or refuses it. */
export const decision = (roles: OfficeAccess, summary: string, errors: readonly AnyErrorCode[] = []) =>
  officePost(
    roles,
    { ...request, verdict: fields.choice(['agree', 'refuse']) },
    z.object({ status: proposal.status }),
    { summary, ...PROVED, errors: [...DECISION_ERRORS, ...errors] },
  );
