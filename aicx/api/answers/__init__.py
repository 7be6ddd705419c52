"""One module for each JSON answer: a frozen dataclass with its fields, and a function that makes it.

What `--json` prints, what MCP gives as structured content, what OpenAPI describes and docs/json.md are all made from
these classes, and from those of other packages that are answers as they are, such as what a run of `store` reports.
"""

from aicx.api.fields import INLINE as INLINE
from aicx.api.fields import OPTIONAL as OPTIONAL
from aicx.api.fields import to_fields as to_fields
