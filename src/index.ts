export {
  type OpenDuplexChannelOptions,
  type OpenDuplexChannelResult,
  openDuplexChannelWithRecovery,
} from './duplex/open.js';
export type { CatalogProblem, ErrorCatalog } from './errors/catalog.js';
export { classifyLeaseError, type ErrorClassification } from './errors/classify.js';
export { ErrorRecordSchema, type LoadErrorCatalogOptions, loadErrorCatalog } from './errors/load.js';
export type { ErrorRecord } from './errors/record.js';
export { PaperclipInstrumentation } from './instrumentation.js';
export {
  describeLeaseShape,
  hasDuplexLeaseIdentity,
  type LeaseLike,
  type LeaseShapeDescription,
  supportsPluginDuplexChannel,
} from './lease/shape.js';
export type {
  ErrorDetail,
  OperationRequest,
  OperationResponse,
  PaperclipInstrumentationConfig,
} from './types.js';
