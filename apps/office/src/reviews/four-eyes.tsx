import { CheckIcon, FaultIcon } from '@fairtick/ui';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { formatTime } from '../state/format.ts';
import { CaseFact, CaseFacts } from './case-frame.tsx';
import type { Eyes } from './four-eyes-model.ts';

/** Returns why the reader may not approve; null: they may. */
export function useBarredText(usableFrom: number | null) {
  const { t } = useText();
  return ({ barred }: Pick<Eyes, 'barred'>): string | null =>
    barred &&
    t(`eyes.barred.${barred}` as MessageId, { time: usableFrom === null ? '' : formatTime(usableFrom) });
}

/** Shows the preparer, the approvers, the number of missing approvals, and whether the reader may approve; the closed button says why not. */
export function FourEyes({
  eyes,
  needed,
  usableFrom,
}: {
  eyes: Eyes;
  needed: number | null;
  usableFrom: number | null;
}) {
  const { t } = useText();
  const barred = useBarredText(usableFrom)(eyes);
  const nobody = t('eyes.nobody');
  return (
    <section aria-labelledby="four-eyes">
      <h3 id="four-eyes">{t('staff.rules')}</h3>
      <CaseFacts>
        <CaseFact name={t('eyes.prepared')}>{eyes.editors.join(' · ') || nobody}</CaseFact>
        <CaseFact name={t('eyes.approved')}>{eyes.approvers.join(' · ') || nobody}</CaseFact>
        {eyes.lapsed.length > 0 && <CaseFact name={t('eyes.lapsed')}>{eyes.lapsed.join(' · ')}</CaseFact>}
        {eyes.missing !== null && (
          <CaseFact name={t('eyes.missing')}>
            {eyes.missing === 0
              ? t('eyes.none')
              : t('eyes.count', { missing: eyes.missing, needed: needed ?? 0 })}
          </CaseFact>
        )}
      </CaseFacts>
      {eyes.missing !== null && eyes.missing > 0 && (eyes.barred === null || eyes.barred === 'role') && (
        <p
          className="with-icon flex gap-8 mt-4 py-8 px-12 ink-2 rounded-6 bg-s2"
          data-free={barred === null || undefined}
        >
          {barred === null ? <CheckIcon size={16} /> : <FaultIcon size={16} />}
          {barred ?? t('eyes.youMay')}
        </p>
      )}
    </section>
  );
}
