import { readDigits } from '@fairtick/money';
import { post } from '../api/client.ts';
import { refreshMe, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { FormEnd, formClass, useForm } from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { useToast } from '../state/toast.ts';
import css from './session.module.css';

/** The reader's own customer accounts: staff declare them here, and decide nothing about them from then on. */
export function OwnCustomerSection() {
  const { t } = useText();
  const customers = useMe().data?.customers ?? [];
  const form = useForm({ values: { customerId: '' } });
  const send = async () => {
    await post('staff/declareCustomer', { customerId: readDigits(form.values.customerId) ?? '' });
    await refreshMe();
    form.set({ customerId: '' });
    useToast.getState().show(t('session.declared'));
  };
  return (
    <section className={css.section} aria-labelledby="own-customer">
      <header>
        <h2 id="own-customer">{t('session.ownCustomer')}</h2>
      </header>
      <p>{t('session.ownCustomerText')}</p>
      {customers.length > 0 && <p>{t('session.ownCustomers', { ids: customers.join(', ') })}</p>}
      <form className={formClass} onSubmit={form.onSubmit(send)}>
        <DigitsField label={t('staff.customer')} {...form.field('customerId')} />
        <FormEnd form={form} look="line">
          {t('session.declare')}
        </FormEnd>
      </form>
    </section>
  );
}
