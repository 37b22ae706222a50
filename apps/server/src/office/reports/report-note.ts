import { formatDecimal } from '@fairtick/money';
import { ACCEPTANCE_ORIGIN_SUFFIX, type NoteSigner, signNote } from '@fairtick/proof';
import type { ReportFormat, ReportName } from '@fairtick/protocol/office';
import type { Assets } from '../../platform/assets.ts';

export interface ExportOrder {
  readonly id: string;
  readonly report: ReportName;
  readonly format: ReportFormat;
  readonly zone: string;
  /** Unix ms; `until` is not in the period. */
  readonly since: number;
  readonly until: number;
}

/** What a file was made of, read in its snapshot. */
export interface Moment {
  readonly at: string;
  readonly ledgerHead: string;
  readonly ledgerAfter: string;
  readonly ledgerUpto: string;
  readonly auditSize: string;
  readonly auditHead: string;
}

export type Totals = ReadonlyMap<number, ReadonlyMap<string, bigint>>;

/** The first line of every note, which says how to read the rest, and which no other signed text begins with. */
const NOTE_FORMAT = 'fairtick-export/1';

/**
 * What an export is, a name and a value a line, as a note that the key of acceptances signs. `sha256` is that of the whole file; `ledger`
 * has the ledger's head in the export's snapshot, the number of the public head that it goes on from, and the transaction up to
 * which it goes; `audit` the size and the head of the audit log.
 */
export function exportNote(
  order: ExportOrder,
  made: { readonly rows: number; readonly sha256: Buffer; readonly totals: Totals; readonly moment: Moment },
  { assets, signer }: { readonly assets: Assets; readonly signer: NoteSigner },
): string {
  const { moment } = made;
  const totals = [...made.totals].flatMap(([id, sums]) => {
    const { code, scale } = assets.byId(id);
    return [...sums].map(([name, sum]) => ['total', name, code, formatDecimal(sum, scale)]);
  });
  const lines = [
    [NOTE_FORMAT],
    ['house', signer.name.slice(0, -ACCEPTANCE_ORIGIN_SUFFIX.length)],
    ['export', order.id],
    ['report', order.report],
    ['format', order.format],
    ['since', new Date(order.since).toISOString()],
    ['until', new Date(order.until).toISOString()],
    ['zone', order.zone],
    ['moment', moment.at],
    ['rows', made.rows],
    ['sha256', made.sha256.toString('hex')],
    ['ledger', moment.ledgerHead, moment.ledgerAfter, moment.ledgerUpto],
    ['audit', moment.auditSize, moment.auditHead],
    ...totals,
  ];
  return signNote(`${lines.map((line) => line.join(' ')).join('\n')}\n`, signer);
}
