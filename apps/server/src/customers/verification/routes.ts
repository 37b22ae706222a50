import { type Handlers, RefusalError } from '../../platform/http/context.ts';
import { readRealInfo, submitReal, type VerificationParts } from './verifications.ts';

export function verificationHandlers(parts: VerificationParts) {
  return {
    submitReal: async (form, { session }) => {
      const { idFront, idBack, ...identity } = form;
      const realStatus = await submitReal(parts, session.customerId, {
        identity: { ...identity, idCountry: identity.idCountry ?? null },
        idFront,
        idBack: idBack ?? null,
      });
      return { realStatus };
    },
    realInfo: (_input, { session, language }) => readRealInfo(parts, session.customerId, language),
    document: async ({ id }, { session }) => {
      const picture = await parts.uploads.read(parts.pool, session.customerId, id);
      if (!picture) throw new RefusalError('DOCUMENT_NOT_FOUND');
      return picture.thumb;
    },
  } satisfies Partial<Handlers>;
}
