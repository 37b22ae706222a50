import { FaultNote } from '@fairtick/ui';
import { useId, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Check } from '../parts/form-parts.tsx';
import { later } from '../parts/later.tsx';
import css from './account.module.css';

const RulesAndRisk = later(() => import('./rules-and-risk.tsx'));

const PARTS = { rules: 'account.readRules', risk: 'account.readRisk' } as const;

/** The consent to rules and risks, which can be read here without losing what the form has. */
export function Consent(props: {
  riskText: string;
  isChecked: boolean;
  fault: string | null;
  onChange: (is: boolean) => void;
}) {
  const { riskText, isChecked, fault, onChange } = props;
  const { t } = useText();
  const id = useId();
  const [reading, setReading] = useState<keyof typeof PARTS | null>(null);
  return (
    <div>
      <Check isChecked={isChecked} faultId={fault ? id : undefined} onChange={onChange}>
        {t('account.consent')}
      </Check>
      <p className={`flex gap-24 ${css.read}`}>
        {(['rules', 'risk'] as const).map((part) => (
          <button key={part} type="button" className="secondary link reach" onClick={() => setReading(part)}>
            {t(PARTS[part])}
          </button>
        ))}
      </p>
      {fault && <FaultNote id={id}>{fault}</FaultNote>}
      <Dialog
        title={reading ? t(PARTS[reading]) : ''}
        isOpen={reading !== null}
        onClose={() => setReading(null)}
      >
        {reading && <RulesAndRisk part={reading} riskText={riskText} />}
      </Dialog>
    </div>
  );
}
