import type { WithdrawOptions } from '@fairtick/protocol';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import { Choices } from '../parts/choices.tsx';
import parts from '../parts/parts.module.css';
import { PaysTo } from './pays-to.tsx';
import css from './withdrawal.module.css';
import type { WithdrawalForm, WithdrawalSummary } from './withdrawal-model.ts';

export function Method(props: {
  options: WithdrawOptions;
  form: WithdrawalForm;
  fault: string | null;
  onChange: (asset: string) => void;
}) {
  const { t } = useText();
  const { destinations, assets } = props.options;
  const network = (asset: string) => {
    const bound = destinations.find((one) => one.asset === asset);
    if (!bound) return t('withdrawal.notBound');
    return bound.kind === 'bank' ? asset : (bound.label.split(' ')[0] ?? asset);
  };
  return (
    <section className={parts.section}>
      <div className={`secondary ${parts.head}`}>
        <h2>{t('withdrawal.method')}</h2>
      </div>
      <Choices
        label={t('withdrawal.method')}
        name="method"
        value={props.form.asset}
        options={assets.map(({ asset }) => ({
          value: asset,
          label: asset === 'USD' ? t('withdrawal.bankCard') : asset,
          note: network(asset),
        }))}
        fault={props.fault}
        onChange={props.onChange}
      />
    </section>
  );
}

export function DestinationChoice(props: {
  summary: WithdrawalSummary;
  fault: string | null;
  onChange: (id: string) => void;
}) {
  const { t } = useText();
  const { kind, destinations, destination } = props.summary;
  return (
    <section className={parts.section}>
      <div className={`secondary ${parts.head}`}>
        <h2>{t(kind === 'bank' ? 'withdrawal.cardNumber' : 'withdrawal.address')}</h2>
        <Link href="/bank" className={`reach ${parts.linkButton}`}>
          {t('withdrawal.manage')}
        </Link>
      </div>
      {destinations.length > 1 && (
        <fieldset className="card lined" aria-label={t('withdrawal.destination')}>
          {destinations.map((one) => (
            <label key={one.id} className={`row gap-12 ${css.destination}`}>
              <span id={`destination-${one.id}`} className="fill breaks" aria-hidden="true">
                {one.label}
              </span>
              <input
                type="radio"
                name="destination"
                value={one.id}
                aria-labelledby={`destination-${one.id}`}
                checked={one.id === destination?.id}
                onChange={() => props.onChange(one.id)}
              />
            </label>
          ))}
        </fieldset>
      )}
      {destination && <PaysTo destination={destination} />}
    </section>
  );
}
