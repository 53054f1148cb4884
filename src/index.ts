export {
  type OpenDuplexChannelOptions,
  type OpenDuplexChannelResult,
  openDuplexChannelWithRecovery,
} from './duplex/open.js';
export {
  type CatalogProblem,
  type ErrorCatalog,
  type LoadErrorCatalogOptions,
  loadErrorCatalog,
} from './errors/catalog.js';
export { classifyLeaseError, type ErrorClassification } from './errors/classify.js';
export { type ErrorRecord, ErrorRecordSchema } from './errors/record.js';
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
