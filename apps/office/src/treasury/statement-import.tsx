import { FileIcon } from '@fairtick/ui';
import { useState } from 'react';
import { base64Of } from '../api/base64.ts';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Action, FormFault, SelectField, useForm } from '../shell/form.tsx';
import { useToast } from '../state/toast.ts';
import { refreshTreasury } from './queries.ts';
import { type ChosenFile, StatementColumns } from './statement-columns.tsx';
import { StatementPreview } from './statement-preview.tsx';
import css from './statements.module.css';

const ASSETS = ['USD', 'USDT', 'BTC', 'ETH'] as const;
const MAX_BYTES = 1_000_000;

/** The chosen file with the server's preview of it, and how it is imported. */
function useImport() {
  const { t } = useText();
  const [asset, setAsset] = useState<string>(ASSETS[0]);
  const [file, setFile] = useState<ChosenFile | null>(null);
  const [taken, setTaken] = useState<ReadonlySet<number>>(new Set());
  const [isTooLarge, setTooLarge] = useState(false);
  // Separate states, so that a running import does not block the reading of another file.
  const reading = useForm();
  const taking = useForm();
  const preview = async (next: Omit<ChosenFile, 'preview'>) => {
    setTaken(new Set());
    const fields = { asset, file: next.content, ...next.choice };
    setFile({ ...next, preview: await post('statement/preview', fields) });
  };
  const open = (chosen: File | undefined) =>
    reading.send(async () => {
      setFile(null);
      setTooLarge(false);
      if (!chosen) return;
      if (chosen.size > MAX_BYTES) return setTooLarge(true);
      await preview({ name: chosen.name, content: await base64Of(chosen), choice: {} });
    });
  const close = () => setFile(null);
  const takeIn = async () => {
    if (!file) return;
    const take = [...taken].join(',');
    const done = await post('statement/import', { asset, file: file.content, ...file.choice, take });
    useToast.getState().show(t('statement.done', { count: done.new }));
    close();
    void refreshTreasury();
  };
  return {
    ...{ asset, file, taken, setTaken, open, close },
    isBusy: reading.isBusy || taking.isBusy,
    fault: isTooLarge ? t('statement.tooLarge') : (reading.fault ?? taking.fault),
    chooseAsset: (next: string) => {
      setAsset(next);
      close();
    },
    chooseColumns: (choice: ChosenFile['choice']) =>
      void (file && reading.send(() => preview({ ...file, choice }))),
    takeIn: () => void taking.send(takeIn),
  };
}

/** Reads a file, lets the server preview it, and imports it only after the reader has seen which lines are new. */
export function StatementImport() {
  const { t } = useText();
  const { file, taken, isBusy, ...act } = useImport();
  const count = (file?.preview.new ?? 0) + taken.size;
  return (
    <section className="box stack gap-12 p-16" aria-labelledby="import-title">
      <h2 id="import-title">{t('statement.import')}</h2>
      <div className={css.choice}>
        <SelectField
          label={t('review.asset')}
          choices={ASSETS}
          value={act.asset}
          disabled={isBusy}
          onChange={(event) => act.chooseAsset(event.target.value)}
        />
        <label className="framed file row gap-8 ink-2">
          <FileIcon size={18} />
          <span className="ellipsis">{file?.name ?? t('statement.choose')}</span>
          <input
            type="file"
            className="cover"
            accept=".csv,.txt,.tsv,.xlsx,.xml,.sta,.mt940,.940,text/csv,text/plain"
            disabled={isBusy}
            onChange={(event) => {
              void act.open(event.target.files?.[0]);
              // Lets the same file be chosen again after it was corrected.
              event.target.value = '';
            }}
          />
        </label>
        <p className="caption">{t('statement.form')}</p>
      </div>
      <FormFault text={act.fault} />
      {file && (
        <>
          <StatementColumns file={file} isBusy={isBusy} onChoose={act.chooseColumns} />
          <StatementPreview preview={file.preview} taken={taken} onTake={act.setTaken} />
          <div className="flex justify-end gap-8">
            <Action onClick={act.close}>{t('shell.cancel')}</Action>
            <Action look="gold" disabled={isBusy || count === 0} onClick={act.takeIn}>
              {t('statement.takeIn', { count })}
            </Action>
          </div>
        </>
      )}
    </section>
  );
}
