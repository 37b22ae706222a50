import { type Attributes, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { VERSION } from './build.ts';
import { failureOf } from './db/database.ts';

let tracer: Tracer | null = null;

/**
 * Sends what {@link traced} does from now on to a collector (OTLP over HTTP). Once in each thread.
 * @param endpoint null: nothing is sent, and no library is loaded
 * @returns a function that sends the rest
 */
export async function startTracing(endpoint: string | null): Promise<() => Promise<void>> {
  if (endpoint === null) return async () => {};
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'fairtick', 'service.version': VERSION }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  tracer = provider.getTracer('fairtick');
  return async () => {
    tracer = null;
    await provider.shutdown();
  };
}

/** Runs `work` as a span. Neither its name nor its attributes name a person. A failure has the database's code, not its text. */
export async function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (tracer === null) return work();
  const span = tracer.startSpan(name, { attributes });
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: failureOf(error) ?? 'failed' });
    throw error;
  } finally {
    span.end();
  }
}
