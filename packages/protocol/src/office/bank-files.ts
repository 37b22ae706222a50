import * as z from 'zod';
import * as fields from '../fields.ts';
import { officeGet, officePost } from './operation.ts';
import { decimal, ms, PROVED, pages, request, who } from './parts.ts';

const READERS = ['cashier', 'approver', 'auditor'] as const;

/** Withdrawals that failed a check, with the code of the refusal and its text in the language of the request. */
const leftOut = z.array(z.object({ id: z.string(), reason: z.string(), text: z.string() }));

const bankFile = z.object({
  id: z.string(),
  by: who,
  isMine: z.boolean(),
  time: ms,
  channelId: z.string(),
  /** Holder and number of the account that pays. */
  payer: z.string(),
  asset: z.string(),
  count: z.int(),
  total: decimal,
  /** How many are being paid, of these how many a statement has as gone out, how many are paid, and how many did not go out. */
  sending: z.int(),
  onStatement: z.int(),
  paid: z.int(),
  notSent: z.int(),
  leftOut,
  sha256: z.string(),
});

/** Files of payments for a bank (pain.001). */
export const bankFileOperations = {
  'bankFile/list': pages(READERS, bankFile, 'Files of payments for a bank, newest first'),
  'bankFile/take': officePost(
    ['cashier'],
    { id: fields.idOf('CHANNEL_NOT_FOUND') },
    z.object({ id: z.string().nullable(), leftOut }),
    {
      summary: 'Takes the approved withdrawals of a bank channel for one file; null: none could be taken',
      ...PROVED,
      errors: ['CHANNEL_NOT_FOUND', 'PAYOUT_INSTRUCTED'],
    },
  ),
  'bankFile/file': officeGet(['cashier'], request, z.unknown(), {
    summary: 'The file (pain.001.001.09), for who made it; each time the same bytes',
    isFile: true,
    ...PROVED,
    errors: ['BANK_FILE_OVER', 'DESTINATION_GONE'],
  }),
  'bankFile/book': officePost(['cashier'], request, z.object({ booked: z.int(), leftOut }), {
    summary: 'Books the payments of a file that a statement has as gone out',
    ...PROVED,
  }),
} as const;
