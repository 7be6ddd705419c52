; Each pattern captures a whole definition under its kind, and under @name what it is called.
; @import is what is required, @import.relative what is required from beside the file.

(class name: [(constant) (scope_resolution)] @name) @class
(module name: [(constant) (scope_resolution)] @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant

(call
  method: (identifier) @_called
  arguments: (argument_list . (string (string_content) @import))
  (#any-of? @_called "require" "load" "autoload"))
(call
  method: (identifier) @_called
  arguments: (argument_list . (string (string_content) @import.relative))
  (#eq? @_called "require_relative"))
