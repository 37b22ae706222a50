import { FaultIcon, Stamp } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { Action } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { readStored, store } from '../state/settings.ts';
import css from './audit.module.css';
import { ChainCheck, type ChainFault, type Head } from './verify-chain.ts';

type Status =
  | { readonly kind: 'checking'; readonly done: number; readonly size: number | null }
  | { readonly kind: 'right'; readonly size: number; readonly atMs: number }
  | { readonly kind: 'wrong'; readonly fault: ChainFault }
  | { readonly kind: 'unknown'; readonly error: unknown };

/** The head that this browser verified last. */
function readSeen(): Head | null {
  const match = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(readStored('auditHead') ?? '');
  return match ? { size: Number(match[1]), hash: match[2] as string } : null;
}

/** Fetches the whole log and hashes it here. The log may grow meanwhile: the head of the last page read is the one compared. */
async function verify(
  tell: (done: number, size: number) => void,
  signal: AbortSignal,
): Promise<ChainFault | Head> {
  const check = new ChainCheck(readSeen());
  for (;;) {
    const page = await get('audit/chain', { from: check.size }, signal);
    if (signal.aborted) throw signal.reason;
    const fault = check.add(page.items);
    if (fault) return fault;
    tell(check.size, page.size);
    const head = { size: page.size, hash: page.head };
    if (page.items.length === 0 || check.size >= page.size) return check.finish(head) ?? head;
  }
}

/** Shows the result of this browser's own verification; the stamp appears only here, and only if no fault was found. */
export function ChainStatus() {
  const [run, setRun] = useState(0);
  return <ChainRun key={run} onAgain={() => setRun(run + 1)} />;
}

/** One verification, from the first entry on. */
function ChainRun({ onAgain }: { onAgain: () => void }) {
  const text = useText();
  const { t } = text;
  const [status, setStatus] = useState<Status>({ kind: 'checking', done: 0, size: null });
  useEffect(() => {
    const stop = new AbortController();
    const tell = (next: Status) => {
      if (!stop.signal.aborted) setStatus(next);
    };
    verify((done, size) => tell({ kind: 'checking', done, size }), stop.signal).then(
      (found) => {
        if ('kind' in found) return tell({ kind: 'wrong', fault: found });
        store('auditHead', `${found.size} ${found.hash}`);
        tell({ kind: 'right', size: found.size, atMs: Date.now() });
      },
      (error: unknown) => tell({ kind: 'unknown', error }),
    );
    return () => stop.abort();
  }, []);
  return (
    <div className={`box row between gap-16 py-12 px-16 ${css.chain}`} data-status={status.kind}>
      <span className="row gap-10" role="status">
        {status.kind === 'wrong' ? (
          <FaultIcon size={20} />
        ) : (
          <Stamp size={22} isChecked={status.kind === 'right'} />
        )}
        <span>
          {status.kind === 'checking' &&
            t('chain.checking', { done: status.done, size: status.size ?? status.done })}
          {status.kind === 'right' && t('chain.right', { size: status.size, time: formatTime(status.atMs) })}
          {status.kind === 'wrong' && t(`chain.${status.fault.kind}`, { seq: status.fault.seq })}
          {status.kind === 'unknown' && (faultText(status.error, text) ?? t('shell.networkError'))}
        </span>
      </span>
      <Action size="small" disabled={status.kind === 'checking'} onClick={onAgain}>
        {t('chain.again')}
      </Action>
    </div>
  );
}
