; Each pattern captures a whole definition under its kind, and under @name what it is called.
; @import is the source of an import, @import.name what is taken from it.

(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(type_alias_statement left: (type (identifier) @name)) @type
; A file that does not parse to its end is one large ERROR instead of a module.
(module (assignment left: (identifier) @name) @variable)
(ERROR (assignment left: (identifier) @name) @variable)
(class_definition body: (block (assignment left: (identifier) @name right: (_)) @field))

(module . (comment)* . (string (string_content) @doc))
(ERROR . (comment)* . (string (string_content) @doc))
(class_definition body: (block . (string (string_content) @doc)))
(function_definition body: (block . (string (string_content) @doc)))

(import_statement (dotted_name) @import)
(import_statement (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import (wildcard_import))
(import_from_statement module_name: (_) @import name: (dotted_name) @import.name)
(import_from_statement module_name: (_) @import name: (aliased_import name: (dotted_name) @import.name))
