import { parentPort } from 'node:worker_threads';
import type { Language } from '@fairtick/protocol';
import { statementPdf } from './export-pdf.ts';
import type { Statement } from './statement.ts';

/** Sets statements in a worker thread, one after the other: in the main thread, fonts and pages would delay all orders. */
export interface StatementJob {
  readonly id: number;
  readonly statement: Statement;
  readonly language: Language;
}

export type StatementDone =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly error: string };

let before: Promise<void> = Promise.resolve();
parentPort?.on('message', ({ id, statement, language }: StatementJob) => {
  before = before.then(async () => {
    const done: StatementDone = await statementPdf(statement, language).then(
      (bytes) => ({ id, bytes: new Uint8Array(bytes) }),
      (error: unknown) => ({ id, error: String(error) }),
    );
    parentPort?.postMessage(done);
  });
});
