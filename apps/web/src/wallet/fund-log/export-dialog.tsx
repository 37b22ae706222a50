import { Button, Field, Segments } from '@fairtick/ui';
import { saveFile } from '@fairtick/ui/save-file';
import { useState } from 'react';
import { type Fields, getFile } from '../../api/client.ts';
import { serverNow } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useForm } from '../../parts/use-form.ts';
import { chosenZone, dayOf } from '../../state/format.ts';
import { useToast } from '../../state/toast.ts';
import { type LogFilter, summarise } from './fund-log-model.ts';

type Format = 'csv' | 'pdf' | 'year';

const NOTES = { csv: 'log.csvNote', pdf: 'log.pdfNote', year: 'log.yearNote' } as const;
const YEARS = 10;

export function ExportDialog(props: { isOpen: boolean; filter: LogFilter; onClose: () => void }) {
  const { t } = useText();
  const [format, setFormat] = useState<Format>('csv');
  const thisYear = dayOf(serverNow()).slice(0, 4);
  const [year, setYear] = useState(thisYear);
  const form = useForm();
  const send = async () => {
    if (format === 'year') await save('fund/year', { year }, `fairtick-${year}.pdf`);
    else {
      const fields = { ...summarise(props.filter, serverNow()), format };
      await save('fund/export', fields, `fairtick-${dayOf(serverNow())}.${format}`);
    }
    useToast.getState().show(t('log.exported'));
    props.onClose();
  };
  return (
    <Dialog title={t('log.export')} isOpen={props.isOpen} onClose={props.onClose}>
      <div className="stack gap-16 mt-4">
        <Segments
          label={t('log.format')}
          name="format"
          value={format}
          choices={[
            { value: 'csv', label: 'CSV' },
            { value: 'pdf', label: 'PDF' },
            { value: 'year', label: t('log.year') },
          ]}
          onChange={setFormat}
        />
        {format === 'year' && (
          <Field label={t('log.year')} isSelect>
            {(ids) => (
              <select {...ids} value={year} onChange={(event) => setYear(event.target.value)}>
                {Array.from({ length: YEARS }, (_, ago) => (
                  <option key={ago}>{Number(thisYear) - ago}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        <p className="secondary">{t(NOTES[format])}</p>
        <Button look="gold" isBlock disabled={form.isBusy} onClick={() => form.send(send)}>
          {t(form.isBusy ? 'log.exporting' : 'log.save')}
        </Button>
      </div>
    </Dialog>
  );
}

async function save(path: 'fund/export' | 'fund/year', fields: Fields, name: string): Promise<void> {
  const content = await getFile(path, { ...fields, zone: chosenZone().timeZone });
  saveFile(new File([content], name));
}
