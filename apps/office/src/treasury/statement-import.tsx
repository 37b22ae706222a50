import { FileIcon } from '@fairtick/ui';
import { useState } from 'react';
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

/** Reads a file, lets the server preview it, and imports it only after the reader has seen which lines are new. */
export function StatementImport() {
  const { t } = useText();
  const [asset, setAsset] = useState<string>(ASSETS[0]);
  const [file, setFile] = useState<ChosenFile | null>(null);
  const [taken, setTaken] = useState<ReadonlySet<number>>(new Set());
  const [isTooLarge, setTooLarge] = useState(false);
  // Separate states, so that a running import does not block the reading of another file.
  const reading = useForm();
  const taking = useForm();
  const isBusy = reading.isBusy || taking.isBusy;
  const choose = (chosen: File | undefined) =>
    reading.send(async () => {
      setFile(null);
      setTooLarge(false);
      if (!chosen) return;
      if (chosen.size > MAX_BYTES) return setTooLarge(true);
      await preview({ name: chosen.name, content: await base64Of(chosen), choice: {} });
    });
  const preview = async (next: Omit<ChosenFile, 'preview'>) => {
    setTaken(new Set());
    const fields = { asset, file: next.content, ...next.choice };
    setFile({ ...next, preview: await post('statement/preview', fields) });
  };
  const close = () => setFile(null);
  const takeIn = async () => {
    if (!file) return;
    const take = [...taken].join(',');
    const done = await post('statement/import', { asset, file: file.content, ...file.choice, take });
    useToast.getState().show(t('statement.done', { count: done.new }));
    close();
    void refreshTreasury();
  };
  const count = (file?.preview.new ?? 0) + taken.size;
  return (
    <section className="box stack gap-12 p-16" aria-labelledby="import-title">
      <h2 id="import-title">{t('statement.import')}</h2>
      <div className={css.choice}>
        <SelectField
          label={t('review.asset')}
          value={asset}
          disabled={isBusy}
          onChange={(event) => {
            setAsset(event.target.value);
            close();
          }}
        >
          {ASSETS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <label className="framed file row gap-8 ink-2">
          <FileIcon size={18} />
          <span className="ellipsis">{file?.name ?? t('statement.choose')}</span>
          <input
            type="file"
            className="cover"
            accept=".csv,.txt,.tsv,.xlsx,.xml,.sta,.mt940,.940,text/csv,text/plain"
            disabled={isBusy}
            onChange={(event) => {
              void choose(event.target.files?.[0]);
              // Lets the same file be chosen again after it was corrected.
              event.target.value = '';
            }}
          />
        </label>
        <p className="caption">{t('statement.form')}</p>
      </div>
      <FormFault text={isTooLarge ? t('statement.tooLarge') : (reading.fault ?? taking.fault)} />
      {file && (
        <>
          <StatementColumns
            file={file}
            isBusy={isBusy}
            onChoose={(choice) => void reading.send(() => preview({ ...file, choice }))}
          />
          <StatementPreview preview={file.preview} taken={taken} onTake={setTaken} />
          <div className="flex justify-end gap-8">
            <Action onClick={close}>{t('shell.cancel')}</Action>
            <Action look="gold" disabled={isBusy || count === 0} onClick={() => void taking.send(takeIn)}>
              {t('statement.takeIn', { count })}
            </Action>
          </div>
        </>
      )}
    </section>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let from = 0; from < bytes.length; from += 8_192)
    text += String.fromCharCode(...bytes.subarray(from, from + 8_192));
  return btoa(text);
}
