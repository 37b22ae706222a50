import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useSettings } from '../state/settings.ts';
import { useCachedViews } from '../state/ui.ts';
import own from './mine.module.css';

const DEVICE = '';
const zones = (): readonly string[] => [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC'),
];

/** Chooses the zone for all times: the device's, or another one. */
export function ZoneForm({ onDone }: { onDone: () => void }) {
  const { t } = useText();
  const { zone, setZone } = useSettings();
  const [all] = useState(zones);
  return (
    <>
      <label className="secondary">
        <span className="sr">{t('mine.zone')}</span>
        <select
          className={own.zones}
          value={zone ?? DEVICE}
          onChange={(event) => {
            setZone(event.target.value === DEVICE ? null : event.target.value);
            // Cached views have already rendered their times in the old zone.
            useCachedViews.getState().clear();
            onDone();
          }}
        >
          <option value={DEVICE}>{t('mine.zoneDevice')}</option>
          {all.map((name) => (
            <option key={name} value={name}>
              {name.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      <p className={`note ${own.note}`}>{t('mine.zoneNote')}</p>
    </>
  );
}
