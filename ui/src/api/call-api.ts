import { createOperationCaller } from '../../../packages/helmdeck/src/client/call-operation.ts';

export { operationUrl } from '../../../packages/helmdeck/src/client/call-operation.ts';
export { HelmdeckError as ApiError } from '../../../packages/helmdeck/src/client/helmdeck-error.ts';

// The published client, on the origin of this page with its session cookie. Queries are retried where they are made.
export const { call: callApi, callForResponse } = createOperationCaller({ url: '', maxRetries: 0 });
